// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import ResourceLoading

/// Where documents of pages have moved, by small pages that lead on: how often in a row, and who led there.
///
/// Each hop of a document is a request of its own, so neither a loop of them nor who led to the first place can be seen
/// in one request.
/// Isolation: any.
public final class DocumentRedirects: Sendable {
    private struct Redirect: Equatable {
        let target: String
        /// Whether it is the page's own document, or one of a frame.
        let isMain: Bool
        /// `Sec-Fetch-Site` of the request that is to come; `nil` where there is none.
        let site: String?
        /// Hops of a frame's document up to there. Of the page's own there is one at a time, which is counted by page.
        let hops: Int
    }

    private struct Page {
        var count = 0
        var redirects: [Redirect] = []
    }

    /// A page that closes between two hops leaves its notes behind: where so many have, they are forgotten.
    private static let maxPages = 64
    /// Frames that move at the same time.
    private static let maxRedirects = 32
    private let pages = Mutex<[PageID: Page]>([:])

    public init() {}

    /// Counts one more hop of the page's document, and returns how many there are; 1 for a page that is not known.
    func next(for page: PageAttribution?) -> Int {
        change(page) { page in
            page.count += 1
            return page.count
        } ?? 1
    }

    /// The document was answered otherwise.
    func end(for page: PageAttribution?) {
        guard let id = page?.page.id else { return }
        forget(id)
    }

    /// Forgets a page that is closed, or whose document is another one, with other frames.
    public func forget(_ page: PageID) {
        pages.withLock { $0[page] = nil }
    }

    /// Notes where a document will be asked for next.
    func record(_ target: String, site: String?, isMain: Bool, hops: Int, for page: PageAttribution?) {
        let redirect = Redirect(target: String(target.prefix { $0 != "#" }), isMain: isMain, site: site, hops: hops)
        _ = change(page) { page in
            // The page's document has one place.
            if isMain { page.redirects.removeAll(where: \.isMain) }
            if page.redirects.count >= Self.maxRedirects { page.redirects.removeFirst() }
            page.redirects.append(redirect)
        }
    }

    /// Takes out who led to a document that is asked for, and after how many hops.
    /// - Returns: `nil` where it has not moved; a missing `Sec-Fetch-Site` is one that is `nil`, and so is that of a page
    ///   that has moved but comes from elsewhere: an engine may spell a URL in another way than we do.
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
            if pages.count >= Self.maxPages, pages[id] == nil { pages.removeAll() }
            return change(&pages[id, default: Page()])
        }
    }
}

extension HTTPRequest {
    /// Whether the engine asks for a document, the page's own or a frame's.
    ///
    /// Engines send no `Sec-Fetch-Dest` to custom schemes. WebKit begins `Accept` so for documents alone, and a page
    /// cannot change it there; a script can set the same on its own request, so this alone shows nothing.
    public var asksForDocument: Bool {
        headerFields[.accept]?.hasPrefix("text/html,application/xhtml+xml,application/xml;") ?? false
    }
}
