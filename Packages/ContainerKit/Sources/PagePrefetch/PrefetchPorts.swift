// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) package import CookieBridge
package import HTTPTypes
package import ResourceLoading
package import WebEngine

/// The decisions of a mode's request pipeline that determine which requests are prefetched.
package protocol PrefetchRouting: Sendable {
    /// Returns a Boolean value that indicates whether a page of this real URL is intercepted.
    func opens(_ url: String) -> Bool

    /// Returns a Boolean value that indicates whether the container handles a request of a page and sends it to the
    /// network. Only state in memory is considered.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - page: the real URL of the page's document.
    ///   - isOriginBound: `true` if cross-origin requests of pages do not pass through the container.
    func usesNetwork(_ request: HTTPRequest, of page: String, isOriginBound: Bool) -> Bool
}

/// The cookies for the requests of one page at the time of reading.
package protocol PrefetchCookieSource: Sendable {
    /// Returns the `Cookie` field value for a request of the page; `nil` if the request carries no cookies.
    func header(for request: ResourceRequest) -> String?

    /// Applies the cookies that the response to a request of the page sets, before the engine has stored them.
    /// - Parameters:
    ///   - setCookies: the values of the `Set-Cookie` fields.
    ///   - request: the request, with its page in `ResourceRequest.page`.
    func record(_ setCookies: [String], of request: ResourceRequest)
}

extension PageCookies: PrefetchCookieSource {}

/// A reader of the cookies of pages.
@MainActor
package protocol PrefetchCookieReading: AnyObject, Sendable {
    /// Reads the cookies that the requests of a page carry now.
    /// - Parameters:
    ///   - url: the real URL of the page's document.
    ///   - mode: the mode of the page.
    /// - Throws: `EngineError` if the engine's cookies cannot be read; `CancellationError`.
    func prefetchCookies(ofPageAt url: String, in mode: InterceptionMode) async throws -> any PrefetchCookieSource
}
