// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
internal import ResourceLoading

/// The redirects of documents by replacement pages, which navigate to the target: their number, and the initiator of
/// the first redirect.
///
/// Each hop of a document is a separate request, so one request shows neither a redirect loop nor the initiator of the
/// first hop.
///
/// Isolation: any.
final class DocumentRedirects: Sendable {
    private struct Redirect: Equatable {
        let target: String
        /// A Boolean value that indicates whether the document is the page's own, not a frame's.
        let isMain: Bool
        /// The `Sec-Fetch-Site` value of the next request; `nil` if it has none.
        let site: String?
        /// The number of hops of a frame's document so far. The hops of a page's own document are counted in `Page`.
        let hops: Int
    }

    private struct Page {
        var count = 0
        var redirects: [Redirect] = []
    }

    /// The maximum number of pages. The state of a page that closes between two hops remains. Above the limit, the
    /// state of the oldest page is removed.
    private static let maxPages = 64
    /// The maximum number of concurrent frame redirects.
    private static let maxRedirects = 32
    private let pages = Mutex<[PageID: Page]>([:])

    /// Counts another hop of a page's document and returns the number of hops; 1 for an unknown page.
    func next(for page: PageAttribution?) -> Int {
        change(page) { page in
            page.count += 1
            return page.count
        } ?? 1
    }

    /// Removes the state after a response that is not a redirect.
    func end(for page: PageAttribution?) {
        guard let id = page?.page.id else { return }
        removePage(id)
    }

    /// Removes the state of a page that is closed or shows another document.
    func removePage(_ page: PageID) {
        pages.withLock { $0[page] = nil }
    }

    /// Records the next URL of a document.
    func record(_ target: String, site: String?, isMain: Bool, hops: Int, for page: PageAttribution?) {
        let redirect = Redirect(target: String(target.prefix { $0 != "#" }), isMain: isMain, site: site, hops: hops)
        _ = change(page) { page in
            // A page has only one redirect of its own document.
            if isMain { page.redirects.removeAll(where: \.isMain) }
            if page.redirects.count >= Self.maxRedirects { page.redirects.removeFirst() }
            page.redirects.append(redirect)
        }
    }

    /// Removes and returns the `Sec-Fetch-Site` value and the number of hops of a redirected document.
    /// - Returns: `nil` if the document was not redirected. The `Sec-Fetch-Site` value is `nil` if it was missing. It
    ///   is also `nil` if the page requests a URL that differs from the target; the URL may be another spelling of the
    ///   target.
    func removeRedirect(_ target: String, isMain: Bool, for page: PageAttribution?) -> (site: String?, hops: Int)? {
        guard let id = page?.page.id else { return nil }
        return pages.withLock { pages in
            let redirects = pages[id]?.redirects ?? []
            let index =
                redirects.firstIndex { $0.target == target && $0.isMain == isMain }
                ?? (isMain ? redirects.firstIndex(where: \.isMain) : nil)
            guard let index, let redirect = pages[id]?.redirects.remove(at: index) else { return nil }
            return (site: redirect.target == target ? redirect.site : nil, hops: redirect.hops)
        }
    }

    private func change<Result>(_ page: PageAttribution?, _ change: (inout Page) -> Result) -> Result? {
        guard let id = page?.page.id else { return nil }
        return pages.withLock { pages in
            if pages.count >= Self.maxPages, pages[id] == nil,
                let oldest = pages.keys.min(by: { $0.rawValue < $1.rawValue })
            {
                pages[oldest] = nil
            }
            return change(&pages[id, default: Page()])
        }
    }
}

extension HTTPRequest {
    /// A Boolean value that indicates whether the engine requests a document of the page or of a frame.
    ///
    /// Engines send no `Sec-Fetch-Dest` to custom schemes. Only document requests of WebKit have an `Accept` value
    /// with this prefix, which a page cannot change. A script can send the same value, so this property alone is not
    /// sufficient.
    public var isDocumentRequest: Bool {
        headerFields[.accept]?.hasPrefix("text/html,application/xhtml+xml,application/xml;") ?? false
    }
}
