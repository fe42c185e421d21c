// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import Synchronization

/// The origins of the documents inside of pages, by their own requests, as long as the page's document is the same.
///
/// Isolation: any.
final class FrameOrigins: Sendable {
    private struct Page {
        let documentURL: String
        var origins: Set<WebOrigin> = []
    }

    private static let maxPages = 128
    private static let maxOrigins = 32
    private let pages = Mutex<[PageID: Page]>([:])

    /// Notes a document that a page asks for inside of itself.
    func note(_ request: ResourceRequest) {
        guard let page = request.page?.page, let origin = request.head.webOrigin,
            WebOrigin(url: page.documentURL) != origin
        else { return }
        pages.withLock { pages in
            if pages[page.id]?.documentURL != page.documentURL {
                // The oldest page makes room.
                if pages.count >= Self.maxPages, let oldest = pages.keys.min(by: { $0.rawValue < $1.rawValue }) {
                    pages[oldest] = nil
                }
                pages[page.id] = Page(documentURL: page.documentURL)
            }
            // All of them beyond the limit are one of no site.
            let isFull = (pages[page.id]?.origins.count ?? 0) >= Self.maxOrigins
            pages[page.id]?.origins.insert(isFull ? .opaque : origin)
        }
    }

    /// The origins of a page's frames, but for its own.
    func origins(in page: PageAttribution?) -> Set<WebOrigin> {
        guard let page = page?.page else { return [] }
        return pages.withLock { pages in
            guard let known = pages[page.id], known.documentURL == page.documentURL else { return [] }
            return known.origins
        }
    }

    func forget(_ page: PageID) {
        pages.withLock { $0[page] = nil }
    }
}
