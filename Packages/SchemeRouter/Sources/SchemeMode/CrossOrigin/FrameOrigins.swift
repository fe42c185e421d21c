// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
internal import ResourceLoading

/// The origins of the frames of pages, by the page's document: when the engine shows a cached document again, its
/// frames reappear without requests.
///
/// Isolation: any.
final class FrameOrigins: Sendable {
    private struct Document {
        /// The origins of frames that the container serves.
        var covered: Set<WebOrigin> = []
        /// The origins of frames that the engine loads without the container.
        var others: Set<WebOrigin> = []
    }

    private struct Page {
        /// The documents by URL.
        var documents: [String: Document] = [:]
        /// A Boolean value that indicates whether frames of further documents were omitted because of the limit.
        var isFull = false
        /// The URLs of the documents requested since the page last showed another document.
        var requested: Set<String> = []
    }

    private static let maxPages = 128
    private static let maxDocuments = 64
    private static let maxOrigins = 32
    private let pages = Mutex<[PageID: Page]>([:])

    /// Records a document request of a page: its own document or a frame.
    func record(_ request: ResourceRequest) {
        guard let page = request.page?.page else { return }
        if request.destination == .document {
            change(page.id) { $0.requested.insert(request.head.urlText) }
        } else if request.destination == .nestedDocument, let origin = request.head.webOrigin {
            record(origin, in: page, \.covered)
        }
    }

    /// Records a frame of a page that the engine loads without the container.
    func record(_ origin: WebOrigin, past page: PageReference) {
        record(origin, in: page, \.others)
    }

    private func record(
        _ origin: WebOrigin, in page: PageReference, _ kind: WritableKeyPath<Document, Set<WebOrigin>>
    ) {
        guard WebOrigin(url: page.documentURL) != origin else { return }
        change(page.id) { known in
            let url = page.documentURL
            guard known.documents[url] != nil || known.documents.count < Self.maxDocuments else {
                known.isFull = true
                return
            }
            let isFull = (known.documents[url]?[keyPath: kind].count ?? 0) >= Self.maxOrigins
            // Above the limit, an opaque origin represents all further origins.
            known.documents[url, default: Document()][keyPath: kind].insert(isFull ? .opaque : origin)
        }
    }

    private func change(_ page: PageID, _ change: (inout Page) -> Void) {
        pages.withLock { pages in
            // The oldest page is removed.
            if pages[page] == nil, pages.count >= Self.maxPages,
                let oldest = pages.keys.min(by: { $0.rawValue < $1.rawValue })
            {
                pages[oldest] = nil
            }
            change(&pages[page, default: Page()])
        }
    }

    /// Returns the origins of the frames in a page's document, except the origin of the document itself. Frames that
    /// the container serves are `covered`, and all other frames are `others`.
    func origins(in page: PageAttribution?) -> (covered: Set<WebOrigin>, others: Set<WebOrigin>) {
        guard let page = page?.page else { return ([], []) }
        return pages.withLock { pages in
            guard let known = pages[page.id] else { return ([], []) }
            if let document = known.documents[page.documentURL] { return (document.covered, document.others) }
            return known.isFull ? ([.opaque], [.opaque]) : ([], [])
        }
    }

    /// Records that a page shows another document. The document is new if it was requested; otherwise the engine has
    /// restored it.
    func documentChanged(in page: PageID, to url: String) {
        pages.withLock { pages in
            guard let requested = pages[page]?.requested, !requested.isEmpty else { return }
            if requested.contains(HTTPRequest(urlText: url)?.urlText ?? url) { pages[page]?.documents[url] = nil }
            pages[page]?.requested = []
        }
    }

    func removePage(_ page: PageID) {
        pages.withLock { $0[page] = nil }
    }
}
