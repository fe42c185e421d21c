// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import SchemeRouter

/// A web engine, as the facade sees it. A platform adapter implements it.
///
/// Isolation: the main actor, where engines live.
@MainActor
public protocol WebEngineDriver: AnyObject {
    /// The engine's kind of view.
    associatedtype View: EngineView

    /// Name and version, for reports.
    var name: String { get }

    /// The mode of covered pages where the app names none; custom scheme, unless the engine does better in another.
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

    /// Sends the engine's own requests through a proxy, or with `nil` as at first again. Where the proxy asks for
    /// credentials, the engine answers with those of the proxy, and asks nobody.
    func setProxy(_ proxy: EngineProxy?)

    /// The proxy that was set last; `nil` at first.
    var proxy: EngineProxy? { get }

    /// Trusts exactly this leaf certificate, whoever has signed it, for one host, as long as the engine lives. It holds for
    /// connections that are made after this returns. Other certificates of the host, and this one at other hosts, stay
    /// errors.
    /// - Parameters:
    ///   - certificate: as the host presents it.
    ///   - host: a name or an address, without a port, as it stands in URLs.
    /// - Throws: ``EngineError`` with code `tls` where these bytes are no certificate, or `timedOut` where the engine does
    ///   not take it in.
    func trust(_ certificate: EngineCertificate, for host: String) async throws

    /// Removes what the engine's own HTTP cache holds of all sites. Nothing else that pages have stored is touched.
    /// - Throws: ``EngineError`` with code `storage`, or `timedOut`.
    func clearHTTPCache() async throws

    /// Has the engine forget files, so that pages that open after this returned get them anew: what its HTTP cache holds
    /// of them, the service workers that are such a file or belong to such a folder, and what scripts have put into
    /// `caches` of there. It may drop more of its HTTP cache, and nothing else that pages have stored: no cookies, no
    /// databases, and of `caches` nothing from elsewhere.
    ///
    /// No page that may ask for these files is to be open.
    /// - Parameters:
    ///   - urls: what the files lie under: absolute URLs that end in a slash.
    ///   - origins: whose service workers and `caches` are looked through, as URLs of their roots.
    ///   - lastGiven: when the engine was last given such a file, or may have been; `nil` for not in this process. What is
    ///     younger may be on its way into the engine's HTTP cache still, which is waited for.
    /// - Throws: ``EngineError``; some of it may be forgotten by then.
    func forgetFiles(
        under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
    ) async throws

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

extension WebEngineDriver {
    /// Custom scheme, which all engines have.
    public nonisolated static var standardMode: InterceptionMode { .customScheme }
}
