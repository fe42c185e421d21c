// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

extension PrefetchLoader {
    /// Whether a call may get an answer: it asks its own origin for what was made ahead, and nobody has it yet.
    public func mayAnswer(_ call: PrefetchCall, from origin: WebOrigin) -> Bool {
        call.url.origin == origin && knows(call)
    }

    /// Hands an answer over to a page that asks by a message instead of by a request: once, as to a request.
    ///
    /// Only for URLs of the origin that asks: for others a page needs their server's permission, which the web's own
    /// requests ask for.
    /// - Parameters:
    ///   - call: the message.
    ///   - page: the page that it comes from. The host has checked that it does.
    ///   - origin: that of the document that asks, which may be a frame.
    ///   - keepsCookies: whether cookies that an answer brings are kept. Where they are not, as in modes in which the
    ///     engine does that for requests alone, such an answer is left to the page's own request.
    ///   - waits: whether an answer on its way is waited for. An engine without replies to messages polls instead, with
    ///     false.
    /// - Returns: `nil` where there is nothing, or nothing yet.
    /// - Throws: `CancellationError`; then the answer waits for another request.
    public func answer(
        _ call: PrefetchCall, of page: PageReference, from origin: WebOrigin, keepsCookies: Bool = true,
        waits: Bool = true
    ) async throws -> ResourceResponse? {
        guard mayAnswer(call, from: origin) else { return nil }
        guard let head = HTTPRequest(method: call.method, urlText: call.url.text) else { return nil }
        let attribution = PageAttribution(page, confidence: .exact)
        let bare = ResourceRequest(
            head, destination: .subresource, mode: .cors, credentials: .include, page: attribution)
        // Whose cookies the page would send now.
        guard let fields = try? await completing.completed(bare).head.headerFields else { return nil }
        let own = OwnRequest(
            identity: call.identity, fields: fields, page: attribution, keepsCookies: keepsCookies)
        return try await answer(own, waits: waits)
    }
}
