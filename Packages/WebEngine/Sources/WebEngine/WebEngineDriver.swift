// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A web engine. A platform adapter implements this protocol, and the facade uses it.
///
/// Isolation: the main actor.
@MainActor
public protocol WebEngineDriver: AnyObject {
    /// The type of the engine's views.
    associatedtype View: EngineView

    /// The name and version of the engine, for reports.
    var name: String { get }

    /// The interception mode of covered pages if the app does not choose a mode.
    nonisolated static var standardMode: InterceptionMode { get }

    /// Returns the steps that the engine performs itself in a mode. The container adds loaders for the other steps.
    func traits(in mode: InterceptionMode) -> EngineTraits

    /// Registers a handler for a custom scheme. Call it before the first view is created.
    ///
    /// A later call for the same scheme replaces the handler for subsequent requests, so that one engine can serve
    /// several containers in turn.
    ///
    /// The engine calls the handler for each request. When the page cancels the request, the engine calls
    /// `SchemeTaskDelivery.stop()` on the returned delivery.
    /// - Throws: ``EngineError`` with code `schemeTaken` if the engine reserves the scheme, or has registered it with a
    ///   different security setting.
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

    /// The conditions of the device as its system reports them; `nil` if the adapter does not read them.
    ///
    /// `HostConditions.isIdle` is always `true`, because a system does not know when an app is idle.
    /// The network is `unknown` until the system has reported it.
    var conditions: (any HostConditioning)? { get }
}

/// A function that starts the response to a request of the engine and returns its delivery. The sink may receive the
/// complete response before the function returns.
public typealias SchemeHandler = @MainActor (EngineRequest, any SchemeTaskSink) -> SchemeTaskDelivery

/// A custom URL scheme of the app.
public struct CustomScheme: Sendable, Hashable {
    /// The scheme, in lower case (RFC 3986, section 3.1).
    public let name: String
    /// A Boolean value that indicates whether pages of this scheme are secure contexts.
    public let isSecure: Bool

    /// Creates a scheme. ``WebEngineDriver/register(_:handler:)`` reports whether the engine accepts it.
    public init(name: String, isSecure: Bool) {
        self.name = name
        self.isSecure = isSecure
    }
}
