// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A web engine, as the facade sees it. A platform adapter implements it.
///
/// Isolation: the main actor, where engines live.
@MainActor
public protocol WebEngineDriver: AnyObject {
    /// The engine's kind of view.
    associatedtype View: EngineView

    /// Name and version, for reports.
    var name: String { get }

    /// The mode of covered pages if the app names none: the one that the engine serves best.
    nonisolated static var standardMode: InterceptionMode { get }

    /// What the engine does by itself in a mode. The chain is assembled from this.
    func traits(in mode: InterceptionMode) -> EngineTraits

    /// Routes a custom scheme to `handler`. Call it before the first view; later calls for the same scheme replace its
    /// handler for the requests that come from then on, so that an engine can serve one container after another.
    ///
    /// The engine calls the handler for each request, and `SchemeTaskDelivery.stop()` on what it
    /// returned when the page drops that request.
    /// - Throws: ``EngineError`` with code `schemeTaken` where the engine keeps the scheme for itself, or has it already
    ///   with another security.
    func register(_ scheme: CustomScheme, handler: @escaping SchemeHandler) throws

    /// Creates a view that has not loaded anything yet.
    /// - Throws: ``EngineError``.
    func makeView() throws -> View

    /// The proxy and the trusted certificates of the engine.
    var networking: any EngineNetworking { get }

    /// The engine's own HTTP cache, service workers and `caches`.
    var caching: any EngineCaching { get }

    /// The engine's cookie store, which all views share.
    var cookies: any EngineCookieStore { get }
}

/// Starts the answer to one request of the engine and returns what carries it. The sink may have heard all of the answer
/// before this returns.
public typealias SchemeHandler = @MainActor (EngineRequest, any SchemeTaskSink) -> SchemeTaskDelivery

/// A scheme of the app's own.
public struct CustomScheme: Sendable, Hashable {
    /// The scheme, in lower case (RFC 3986, section 3.1).
    public let name: String
    /// Whether pages of this scheme are secure contexts.
    public let isSecure: Bool

    /// Makes a scheme; whether it can be had shows when it is registered.
    public init(name: String, isSecure: Bool) {
        self.name = name
        self.isSecure = isSecure
    }
}
