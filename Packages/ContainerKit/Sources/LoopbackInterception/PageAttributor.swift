// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
package import ResourceLoading
internal import SchemeMode

/// The attributor of requests to open pages, for modes in which a request does not identify its page. It uses the URL
/// of a document request, `Referer`, and `Origin`. The attribution can be wrong, so no security decision depends on it.
///
/// The attribution is exact if the engine's data store has had one page only. To isolate pages, use one container per
/// page, with a separate engine and data store.
///
/// Isolation: any.
package final class PageAttributor: Sendable {
    /// A page and the parsed URL of its document.
    private struct Entry {
        let page: PageReference
        /// The document's URL without its fragment, because requests do not contain a fragment.
        let url: String
        let scheme: String?
        let authority: String?

        init(_ page: PageReference) {
            let document = HTTPRequest(urlText: page.documentURL)
            self.page = page
            url = document?.urlText ?? page.documentURL
            scheme = document?.scheme
            authority = document?.authority
        }

        func isAtOrigin(of request: HTTPRequest) -> Bool {
            scheme == request.scheme && authority == request.authority
        }
    }

    private struct State {
        var pages: [Entry] = []
        var only: PageID?
        /// The pages whose current document does not load over loopback.
        var elsewhere: Set<PageID> = []
        /// The pages that ``PageAttributor/join(_:)`` has recorded.
        var joined: Set<PageID> = []
        /// A Boolean value that indicates whether there was a second page, open or closed. Workers of a closed page may
        /// still send requests.
        var hasHadOthers = false
        /// The pending requests and their pages; the value is `nil` if the page is unknown.
        var waiting: [UInt64: Entry?] = [:]
        var lastWait: UInt64 = 0
    }

    private let state = Mutex(State())
    private let names: SchemeNames?

    /// Creates an attributor without pages.
    /// - Parameter names: the custom schemes; `nil` if the mode `customScheme` is not in use.
    init(names: SchemeNames? = nil) {
        self.names = names
    }

    /// Records a page and its current document.
    package func record(_ page: PageReference) {
        let entry = Entry(page)
        state.withLock { state in
            guard !state.elsewhere.contains(page.id) else { return }
            state.hasHadOthers = state.hasHadOthers || state.only != nil && state.only != page.id
            state.only = page.id
            state.pages.removeAll { $0.page.id == page.id }
            state.pages.append(entry)
        }
    }

    /// Records whether the document of a page loads over loopback. A page whose document does not load over loopback
    /// sends few requests over loopback, and these are not attributed.
    /// - Parameters:
    ///   - page: the page.
    ///   - isElsewhere: a Boolean value that indicates whether the document does not load over loopback.
    package func place(_ page: PageID, isElsewhere: Bool) {
        state.withLock { state in
            guard isElsewhere else {
                state.elsewhere.remove(page)
                return
            }
            state.hasHadOthers = true
            state.elsewhere.insert(page)
            state.pages.removeAll { $0.page.id == page }
        }
    }

    /// Records that a page whose document did not load over loopback now sends requests over loopback.
    /// - Returns: `true` if this was not recorded before.
    package func join(_ page: PageID) -> Bool { state.withLock { $0.joined.insert(page).inserted } }

    /// Records a pending request.
    /// - Returns: the identifier to pass to ``ended(_:)``.
    func began(_ request: ResourceRequest) -> UInt64 {
        let fields = request.head.headerFields
        // A request without these fields can belong to any page.
        let saysWhose = request.destination == .document || fields[.referer] != nil || fields[.origin] != nil
        let page = saysWhose ? request.page.map { Entry($0.page) } : nil
        return state.withLock { state in
            state.lastWait += 1
            state.waiting.updateValue(page, forKey: state.lastWait)
            return state.lastWait
        }
    }

    /// Records the end of a pending request.
    func ended(_ wait: UInt64) { state.withLock { _ = $0.waiting.removeValue(forKey: wait) } }

    /// Returns a Boolean value that indicates whether a pending request may belong to a page. A request of one page
    /// counts for all pages of the same origin.
    package func isBusy(_ id: PageID) -> Bool {
        state.withLock { state in
            if state.elsewhere.contains(id) { return state.waiting.values.contains { $0 == nil } }
            let page = state.pages.first { $0.page.id == id }
            return state.waiting.values.contains { requester in
                guard let requester, let page, requester.page.id != id else { return true }
                return requester.scheme == page.scheme && requester.authority == page.authority
            }
        }
    }

    /// Removes a page that is closed.
    package func removePage(_ page: PageID) {
        state.withLock { state in
            state.pages.removeAll { $0.page.id == page }
            state.elsewhere.remove(page)
            state.joined.remove(page)
        }
    }

    /// Sets the destination of a request, and the page that probably sent it.
    func attribute(_ request: inout ResourceRequest) {
        let (pages, isOnly, isAlone) = state.withLock { ($0.pages, !$0.hasHadOthers, $0.elsewhere.isEmpty) }
        let url = request.head.urlText
        request.destination = Self.destination(of: request.head, isShown: pages.contains { $0.url == url })
        guard request.destination == .document || !isOfScheme(request.head) else {
            request.page = nil
            return
        }
        let senders = Self.senders(of: request, at: url, among: pages, areAll: isAlone)
        request.page = senders.first.map {
            PageAttribution($0.page, confidence: isOnly ? .exact : .inferred, requesters: senders.map(\.page.id))
        }
    }

    /// Returns the documents that may have sent a request: the document that `Referer` names. If there is none, the
    /// documents with the origin of `Referer` or `Origin`. If there are none, all documents. The list is empty if the
    /// sender may be a page that is not recorded.
    func requesters(of request: ResourceRequest) -> [String] {
        guard !isOfScheme(request.head) else { return [] }
        let (pages, isAlone) = state.withLock { ($0.pages, $0.elsewhere.isEmpty) }
        let fields = request.head.headerFields
        if let referrer = fields[.referer].flatMap({ HTTPRequest(urlText: $0) })?.urlText,
            let page = pages.last(where: { $0.url == referrer })
        {
            return [page.url]
        }
        for asking in [fields[.referer], fields[.origin]].compactMap({ $0.flatMap { HTTPRequest(urlText: $0) } }) {
            let found = pages.filter { $0.isAtOrigin(of: asking) }
            if !found.isEmpty { return found.map(\.url) }
        }
        return isAlone ? pages.map(\.url) : []
    }

    /// Returns a Boolean value that indicates whether the request comes from a document with a custom-scheme URL.
    private func isOfScheme(_ head: HTTPRequest) -> Bool {
        guard let names else { return false }
        return [.referer, .origin].contains { field in
            head.headerFields[field]?.split(separator: ":").first.flatMap { names.realScheme(for: String($0)) } != nil
        }
    }

    /// Returns the pages that may have sent a request, the page that was recorded last first.
    /// - Parameter areAll: a Boolean value that indicates whether the documents of all open pages load over loopback.
    private static func senders(
        of request: ResourceRequest, at url: String, among pages: [Entry], areAll: Bool
    ) -> [Entry] {
        if request.destination == .document, let page = pages.last(where: { $0.url == url }) { return [page] }
        let fields = request.head.headerFields
        let referrer = fields[.referer].flatMap { HTTPRequest(urlText: $0) }
        let origin = fields[.origin].flatMap { HTTPRequest(urlText: $0) }
        let tests: [(Entry) -> Bool] = [
            { $0.url == referrer?.urlText },
            { entry in referrer.map { entry.isAtOrigin(of: $0) } ?? false },
            { entry in origin.map { entry.isAtOrigin(of: $0) } ?? false },
            // Fallback for fonts of a style sheet, and for pages that send no referrer.
            { pages.count == 1 && areAll || $0.isAtOrigin(of: request.head) },
        ]
        return tests.lazy.map { pages.reversed().filter($0) }.first { !$0.isEmpty } ?? []
    }

    /// Returns the destination according to Fetch Metadata, or according to `Accept` if the engine sends none.
    private static func destination(of head: HTTPRequest, isShown: @autoclosure () -> Bool)
        -> ResourceRequest.Destination
    {
        switch HTTPField.Name.fetchDestination.flatMap({ head.headerFields[$0] }) {
        case "document": .document
        case "iframe", "frame", "object", "embed": .nestedDocument
        case nil where head.isDocumentRequest: isShown() ? .document : .nestedDocument
        default: .subresource
        }
    }
}

extension HTTPField.Name {
    /// The `Sec-Fetch-Dest` field (Fetch Metadata Request Headers, section 2.1).
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")
}
