// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter

/// A web engine, as the facade sees it. A platform adapter implements it.
///
/// Isolation: the main actor, where engines live.
@MainActor
public protocol WebEngine: AnyObject {
    /// The engine's kind of view.
    associatedtype View: EngineView

    /// Name and version, for reports.
    var name: String { get }

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

    /// Sends the engine's own requests through an HTTP proxy, or directly again with `nil`.
    func setProxy(_ proxy: EngineProxy?)

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

/// An HTTP proxy on a host and a port.
public struct EngineProxy: Sendable, Hashable {
    /// A name or an address.
    public let host: String
    /// 1 to 65535.
    public let port: Int
    /// Names and addresses that are asked directly; none by default.
    public let exceptions: [String]

    /// Names a proxy; whether it answers shows with the first request.
    public init(host: String, port: Int, exceptions: [String] = []) {
        self.host = host
        self.port = port
        self.exceptions = exceptions
    }
}
