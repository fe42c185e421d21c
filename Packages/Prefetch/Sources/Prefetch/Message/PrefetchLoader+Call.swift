// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

@_spi(Facade) extension PrefetchLoader {
    /// Returns a Boolean value that indicates whether a call may get a response: its URL has the origin of the calling
    /// document, and an unclaimed prefetch request has the same method and URL.
    public func mayAnswer(_ call: PrefetchCall, from origin: WebOrigin) -> Bool {
        call.url.origin == origin && knows(call)
    }

    /// Returns a prefetched response to a page that requests it by a message instead of a request. Each response is
    /// returned once.
    ///
    /// The URL must be of the requesting origin. For other origins, a page needs the permission of the server (CORS),
    /// which a message cannot obtain.
    /// - Parameters:
    ///   - call: the message.
    ///   - page: the page that sent the message. The caller must have verified this.
    ///   - origin: the origin of the document that sent the message, which may be in a frame.
    ///   - keepsCookies: a Boolean value that indicates whether cookies of the response are stored. If not, a response
    ///     with cookies is not returned here, but to the page's own request. This is required in modes in which the
    ///     engine stores cookies only for requests.
    ///   - waits: a Boolean value that indicates whether to wait for a pending response. An engine without replies to
    ///     messages polls instead and passes `false`.
    /// - Returns: `nil` if there is no response, or no response yet.
    /// - Throws: `CancellationError`; the response then waits for another request.
    public func answer(
        _ call: PrefetchCall, of page: PageReference, from origin: WebOrigin, keepsCookies: Bool = true,
        waits: Bool = true
    ) async throws -> ResourceResponse? {
        guard mayAnswer(call, from: origin) else { return nil }
        guard let head = HTTPRequest(method: call.method, urlText: call.url.text) else { return nil }
        let attribution = PageAttribution(page, confidence: .exact)
        let bare = ResourceRequest(
            head, destination: .subresource, mode: .cors, credentials: .include, page: attribution)
        // The cookies that the page would send now.
        guard let fields = try? await completing.completed(bare).head.headerFields else { return nil }
        let own = OwnRequest(
            identity: call.identity, fields: fields, page: attribution, keepsCookies: keepsCookies)
        return try await answer(own, waits: waits)
    }
}
