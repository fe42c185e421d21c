// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import SchemeMode
internal import Synchronization

/// The pages that are open in a mode that does not say which of them asks, so that it is concluded from what a request
/// says: from its URL where it is for a document, from `Referer`, from `Origin`. What is concluded may be wrong; nothing
/// that has to be right is decided by it.
///
/// Isolation: any.
final class OpenPages: Sendable {
    private let pages = Mutex<[PageReference]>([])

    /// Notes a page, or what has become of it.
    func note(_ page: PageReference) {
        pages.withLock { pages in
            pages.removeAll { $0.id == page.id }
            pages.append(page)
        }
    }

    /// A page is closed.
    func forget(_ page: PageID) {
        pages.withLock { $0.removeAll { $0.id == page } }
    }

    /// Completes a request by the page that probably asks, and by what it is for.
    func attribute(_ request: inout ResourceRequest) {
        let pages = pages.withLock { $0 }
        let url = request.head.urlText
        let isShown = pages.contains { Self.isSame($0.documentURL, url) }
        request.destination = Self.destination(of: request.head, isShown: isShown)
        let page = page(of: request, at: url, among: pages)
        request.page = page.map { PageAttribution($0, confidence: .inferred) }
    }

    /// Of several that fit, the one that was noted last.
    private func page(of request: ResourceRequest, at url: String, among pages: [PageReference]) -> PageReference? {
        if request.destination == .document, let page = pages.last(where: { Self.isSame($0.documentURL, url) }) {
            return page
        }
        let fields = request.head.headerFields
        if let referrer = fields[.referer] {
            if let page = pages.last(where: { Self.isSame($0.documentURL, referrer) }) { return page }
            if let page = Self.page(of: referrer, among: pages) { return page }
        }
        if let origin = fields[.origin], let page = Self.page(of: origin, among: pages) { return page }
        // A style sheet's fonts, and pages that send no referrer.
        return pages.count == 1 ? pages[0] : Self.page(of: url, among: pages)
    }

    private static func page(of url: String, among pages: [PageReference]) -> PageReference? {
        guard let request = HTTPRequest(urlText: url) else { return nil }
        return pages.last { page in
            let document = HTTPRequest(urlText: page.documentURL)
            return document?.scheme == request.scheme && document?.authority == request.authority
        }
    }

    /// The fragment is never sent.
    private static func isSame(_ one: String, _ other: String) -> Bool {
        one == other || HTTPRequest(urlText: one)?.urlText == HTTPRequest(urlText: other)?.urlText
    }

    /// By Fetch Metadata, and where an engine sends none, by what it accepts.
    private static func destination(of head: HTTPRequest, isShown: Bool) -> ResourceRequest.Destination {
        switch HTTPField.Name.fetchDestination.flatMap({ head.headerFields[$0] }) {
        case "document": .document
        case "iframe", "frame", "object", "embed": .nestedDocument
        case nil where head.asksForDocument: isShown ? .document : .nestedDocument
        default: .subresource
        }
    }
}

extension HTTPField.Name {
    /// Fetch Metadata Request Headers, section 2.1.
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")
}
