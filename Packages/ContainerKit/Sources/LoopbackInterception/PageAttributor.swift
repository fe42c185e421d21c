// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
package import ResourceLoading
internal import SchemeMode

/// Attributes requests to the open pages in modes in which a request does not identify its page: by its URL if it is
/// for a document, by `Referer`, and by `Origin`. The attribution may be wrong; no decision that must be right depends
/// on it.
///
/// It is exact if the engine's data store has had one page only. Pages are isolated in this way: by a container for
/// each, with an engine and a data store of its own.
///
/// Isolation: any.
package final class PageAttributor: Sendable {
    /// A page with the parts of its document's URL, which is parsed once.
    private struct Entry {
        let page: PageReference
        /// The document's URL without its fragment, which is never sent.
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
        /// The pages whose document does not come over loopback.
        var elsewhere: Set<PageID> = []
        /// The pages of which that was so once.
        var joined: Set<PageID> = []
        /// `true` after a second page, also when it is closed, because its workers may still send requests.
        var hasHadOthers = false
        /// The pending requests and their pages, as far as these are known.
        var waiting: [UInt64: Entry?] = [:]
        var lastWait: UInt64 = 0
    }

    private let state = Mutex(State())
    private let names: SchemeNames?

    /// Creates an attributor without pages.
    /// - Parameter names: the schemes of pages of the mode `customScheme`; `nil` if that mode is not in use.
    init(names: SchemeNames? = nil) {
        self.names = names
    }

    /// Records a page, or its new document.
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

    /// Records the origin of a page's document. A page whose document does not come over loopback sends few requests
    /// over loopback, which are not attributed.
    /// - Parameters:
    ///   - page: the page.
    ///   - isElsewhere: `true` if the document does not come over loopback.
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

    /// Records that a page whose document did not come over loopback sends requests over loopback now.
    /// - Returns: `true` if it is recorded for the first time.
    package func join(_ page: PageID) -> Bool { state.withLock { $0.joined.insert(page).inserted } }

    /// Records a request that is pending.
    /// - Returns: the identifier for ``ended(_:)``.
    func began(_ request: ResourceRequest) -> UInt64 {
        let fields = request.head.headerFields
        // Other requests may be of any page.
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

    /// Returns a Boolean value that indicates whether a request is pending that may be the page's. The requests of
    /// pages of one origin may be of each of them.
    package func isBusy(_ id: PageID) -> Bool {
        state.withLock { state in
            if state.elsewhere.contains(id) { return state.waiting.values.contains { $0 == nil } }
            let page = state.pages.first { $0.page.id == id }
            return state.waiting.values.contains { asker in
                guard let asker, let page, asker.page.id != id else { return true }
                return asker.scheme == page.scheme && asker.authority == page.authority
            }
        }
    }

    /// Removes a page that is closed.
    package func forget(_ page: PageID) {
        state.withLock { state in
            state.pages.removeAll { $0.page.id == page }
            state.elsewhere.remove(page)
            state.joined.remove(page)
        }
    }

    /// Sets the destination of a request, and the page that has probably sent it.
    func attribute(_ request: inout ResourceRequest) {
        let (pages, isOnly, isAlone) = state.withLock { ($0.pages, !$0.hasHadOthers, $0.elsewhere.isEmpty) }
        let url = request.head.urlText
        request.destination = Self.destination(of: request.head, isShown: pages.contains { $0.url == url })
        guard request.destination == .document || !isOfScheme(request.head) else {
            request.page = nil
            return
        }
        request.page = Self.page(of: request, at: url, among: pages, areAll: isAlone)
            .map { PageAttribution($0.page, confidence: isOnly ? .exact : .inferred) }
    }

    /// Returns the documents of which one has sent a request: the one that `Referer` names, else those of the origin in
    /// `Referer` or `Origin`, else all. The list is empty if the request may be of a page that is not recorded.
    func askers(of request: ResourceRequest) -> [String] {
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

    /// Returns `true` if the request comes from a document with a custom-scheme URL.
    private func isOfScheme(_ head: HTTPRequest) -> Bool {
        guard let names else { return false }
        return [.referer, .origin].contains { field in
            head.headerFields[field]?.split(separator: ":").first.flatMap { names.realScheme(for: String($0)) } != nil
        }
    }

    /// Returns the page of a request; of several, the one that was recorded last.
    /// - Parameter areAll: `true` if no page is open whose document does not come over loopback.
    private static func page(
        of request: ResourceRequest, at url: String, among pages: [Entry], areAll: Bool
    ) -> Entry? {
        if request.destination == .document, let page = pages.last(where: { $0.url == url }) { return page }
        let fields = request.head.headerFields
        if let referrer = fields[.referer].flatMap({ HTTPRequest(urlText: $0) }) {
            let url = referrer.urlText
            if let page = pages.last(where: { $0.url == url }) { return page }
            if let page = pages.last(where: { $0.isAtOrigin(of: referrer) }) { return page }
        }
        if let origin = fields[.origin].flatMap({ HTTPRequest(urlText: $0) }),
            let page = pages.last(where: { $0.isAtOrigin(of: origin) })
        {
            return page
        }
        // Fonts of a style sheet, and pages that send no referrer.
        return pages.count == 1 && areAll ? pages[0] : pages.last { $0.isAtOrigin(of: request.head) }
    }

    /// Returns the destination by Fetch Metadata, or by `Accept` if the engine sends none.
    private static func destination(of head: HTTPRequest, isShown: @autoclosure () -> Bool)
        -> ResourceRequest.Destination
    {
        switch HTTPField.Name.fetchDestination.flatMap({ head.headerFields[$0] }) {
        case "document": .document
        case "iframe", "frame", "object", "embed": .nestedDocument
        case nil where head.asksForDocument: isShown() ? .document : .nestedDocument
        default: .subresource
        }
    }
}

extension HTTPField.Name {
    /// Fetch Metadata Request Headers, section 2.1.
    fileprivate static let fetchDestination = HTTPField.Name("Sec-Fetch-Dest")
}
