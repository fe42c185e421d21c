// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
package import LoopbackServer
package import ResourceLoading
package import WebSyntax

/// The request pipeline of a loopback mode.
///
/// Isolation: any; called concurrently. All requirements except ``answer(loopback:of:)`` read memory and do not wait.
package protocol LoopbackPipeline: AnyObject, Sendable {
    /// A Boolean value that indicates whether some pages are not intercepted although their requests are covered. If
    /// so, the decision about a request depends on the pages that may have sent it.
    var distinguishesRequesters: Bool { get }

    /// Returns a Boolean value that indicates whether any request to the origin of this request may be intercepted. The
    /// path is ignored.
    func opens(originOf request: HTTPRequest) -> Bool

    /// Returns a Boolean value that indicates whether a rule blocks a WebSocket, whose messages pass no loader.
    func blocks(_ request: ResourceRequest) -> Bool

    /// Returns the response to a request if it is available without suspension.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - requesters: the documents that may have sent the request; `nil` if the attributed page is sufficient.
    func immediateResponse(loopback request: ResourceRequest, of requesters: [String]?) -> ImmediateResult

    /// Returns the response to a request, or `nil` if no loader has a response.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - requesters: the documents that may have sent the request; `nil` if the attributed page is sufficient.
    nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of requesters: [String]?
    ) async throws -> ResourceResponse?
}

/// A store of request bodies that the engine does not send: those that scripts of legacy pages pass to the app, or
/// those of the app itself.
package protocol LoopbackBodies: AnyObject, Sendable {
    /// Returns a Boolean value that indicates whether a request may carry the identifier of a body.
    ///
    /// Isolation: any. Reads no bytes of the body.
    func isCarried(by request: ResourceRequest) -> Bool

    /// Adds the stored body and its header fields to a request, and removes the identifier.
    /// - Returns: `true` if the engine has a stand-in for the body, and would repeat it after a redirect.
    /// - Throws: `ResourceError` if the body or its header fields cannot be sent with the request.
    @MainActor func complete(_ request: inout ResourceRequest) async throws -> Bool
}

/// A type that keeps the cookies of the sites of the local server equal to those of the real hosts.
package protocol LocalServerCookieSharing: AnyObject, Sendable {
    /// Gives a site the cookies of its host, before a page of the site loads.
    /// - Parameters:
    ///   - url: a real URL of the site.
    ///   - name: the local name of the site.
    /// - Throws: `EngineError`.
    @MainActor func serve(_ url: String, named name: String) async throws

    /// Records the cookies of a response before the engine receives it.
    ///
    /// Isolation: any.
    /// - Parameters:
    ///   - setCookies: the values of the fields `Set-Cookie`, which are unchanged.
    ///   - url: the real URL of the request.
    ///   - name: the local name of the site.
    func record(setCookies: [String], from url: String, at name: String)
}

/// An observer of the requests for documents of pages.
///
/// Isolation: any; called concurrently, except for ``record(_:)``.
package protocol LoopbackRequestObserver: AnyObject, Sendable {
    /// Receives the request for the document of a page, before it is handled.
    func documentWasRequested(_ request: HTTPRequest)
    /// Receives the real URL of a document, without its fragment, when its response has arrived.
    func documentWasAnswered(_ url: String)
    /// Receives the real URL of a document that could not be loaded, without its fragment, before the engine receives
    /// the error.
    func documentFailed(_ url: String, because error: ResourceError)
    /// Receives facts about a document, before the engine has its response.
    @MainActor func record(_ report: LoopbackDocumentReport)
}

/// The receiver of the events of the proxy or the local server, in order.
///
/// Isolation: the main actor. The controller retains its host.
@MainActor
package protocol LoopbackHost: AnyObject, Sendable {
    /// Receives an event of the proxy or the local server.
    func loopbackDidSend(_ event: LoopbackEvent)
    /// Receives whether the engine sends its requests through the proxy, if the engine requires a proof. The initial
    /// value is `false`. It is `false` again after the proxy setting has changed, until the next proof.
    func proxyProofDidChange(isProven: Bool)
    /// Receives the record of a request that has ended.
    func requestDidEnd(_ record: RequestRecord)
    /// Receives the generation that answered a subresource of a page. The `Referer` field of the request names the
    /// page's document. Called before ``requestDidEnd(_:)`` for the same request.
    func generation(_ generation: GenerationReference, didAnswer page: PageReference)
}

/// The ports of loopback interception to the rest of the container.
package struct LoopbackPorts: Sendable {
    let pipeline: any LoopbackPipeline
    let bodies: [any LoopbackBodies]
    let observer: (any LoopbackRequestObserver)?
    let host: any LoopbackHost
    let proxies: SystemProxies?
    let addresses: (any AddressResolving)?
    let trusted: TrustedCertificates
    let outgoing: OutgoingRequests?
    let cookies: (any LocalServerCookieSharing)?

    /// Creates the ports.
    /// - Parameters:
    ///   - pipeline: the pipeline of the mode.
    ///   - bodies: the stores of request bodies. A store that is `nil` is not in use.
    ///   - observer: the observer of document requests.
    ///   - host: the receiver of events.
    ///   - proxies: the proxies of the system for connections to hosts; `nil`, the default, for none.
    ///   - addresses: the resolver of host names; `nil`, the default, for the system's.
    ///   - trusted: the certificates that WebSocket connections trust in addition to those of the system.
    ///   - outgoing: the requests that the container has given to code of the app; `nil`, the default, for none.
    ///   - cookies: the cookies of the local server; `nil`, the default, for none.
    package init(
        pipeline: any LoopbackPipeline, bodies: [(any LoopbackBodies)?], observer: (any LoopbackRequestObserver)?,
        host: any LoopbackHost, proxies: SystemProxies? = nil, addresses: (any AddressResolving)? = nil,
        trusted: @escaping TrustedCertificates, outgoing: OutgoingRequests? = nil,
        cookies: (any LocalServerCookieSharing)? = nil
    ) {
        self.cookies = cookies
        self.outgoing = outgoing
        self.proxies = proxies
        self.addresses = addresses
        self.trusted = trusted
        self.pipeline = pipeline
        self.bodies = bodies.compactMap(\.self)
        self.observer = observer
        self.host = host
    }
}
