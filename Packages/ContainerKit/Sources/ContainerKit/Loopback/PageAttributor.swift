// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeMode

/// The pages that are open in a mode that does not say which of them asks, so that it is concluded from what a request
/// says: from its URL where it is for a document, from `Referer`, from `Origin`. What is concluded may be wrong; nothing
/// that has to be right is decided by it.
///
/// It is exact where one engine's data store has had one page only, which is how pages are isolated: a container, with an
/// engine and a data store of its own, for each.
///
/// Isolation: any.
final class PageAttributor: Sendable {
    /// A page whose document's URL is read once, and not with each request.
    private struct Entry {
        let page: PageReference
        /// Without its fragment, which is never sent.
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
        /// Pages whose document does not come over loopback.
        var elsewhere: Set<PageID> = []
        /// Those of which that was so once.
        var joined: Set<PageID> = []
        /// Workers of a page that is closed may still ask.
        var hasHadOthers = false
        /// The requests that wait for the head of their answer, and the pages that they are of, as far as is known.
        var waiting: [UInt64: Entry?] = [:]
        var lastWait: UInt64 = 0
    }

    private let state = Mutex(State())
    private let names: SchemeNames?

    /// - Parameter names: of the schemes whose pages lie elsewhere; `nil` where there are none.
    init(names: SchemeNames? = nil) {
        self.names = names
    }

    /// Notes a page, or what has become of it.
    func record(_ page: PageReference) {
        let entry = Entry(page)
        state.withLock { state in
            guard !state.elsewhere.contains(page.id) else { return }
            state.hasHadOthers = state.hasHadOthers || state.only != nil && state.only != page.id
            state.only = page.id
            state.pages.removeAll { $0.page.id == page.id }
            state.pages.append(entry)
        }
    }

    /// Notes whether a page's document lies elsewhere, and asks over loopback for little: which of these requests are
    /// its own is not known.
    func place(_ page: PageID, isElsewhere: Bool) {
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

    /// A page whose document lay elsewhere asks over loopback now.
    /// - Returns: whether that is news.
    func join(_ page: PageID) -> Bool { state.withLock { $0.joined.insert(page).inserted } }

    /// A request waits for its answer.
    /// - Returns: what its end is told with.
    func began(_ request: ResourceRequest) -> UInt64 {
        let fields = request.head.headerFields
        // Else it may be of any page.
        let saysWhose = request.destination == .document || fields[.referer] != nil || fields[.origin] != nil
        let page = saysWhose ? request.page.map { Entry($0.page) } : nil
        return state.withLock { state in
            state.lastWait += 1
            state.waiting.updateValue(page, forKey: state.lastWait)
            return state.lastWait
        }
    }

    /// It does so no longer.
    func ended(_ wait: UInt64) { state.withLock { _ = $0.waiting.removeValue(forKey: wait) } }

    /// Whether a request waits for its answer that may be a page's: of pages of one origin it is not known which asks.
    func isBusy(_ id: PageID) -> Bool {
        state.withLock { state in
            if state.elsewhere.contains(id) { return state.waiting.values.contains { $0 == nil } }
            let page = state.pages.first { $0.page.id == id }
            return state.waiting.values.contains { asker in
                guard let asker, let page, asker.page.id != id else { return true }
                return asker.scheme == page.scheme && asker.authority == page.authority
            }
        }
    }

    /// A page is closed.
    func forget(_ page: PageID) {
        state.withLock { state in
            state.pages.removeAll { $0.page.id == page }
            state.elsewhere.remove(page)
            state.joined.remove(page)
        }
    }

    /// Completes a request by the page that probably asks, and by what it is for.
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

    /// The documents of which one asks: one where `Referer` names it, else those of the origin that asks, and where no
    /// page is of that, all. Empty where it may be another page's.
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

    /// Whether what asks says that it lies at a name of the container's.
    private func isOfScheme(_ head: HTTPRequest) -> Bool {
        guard let names else { return false }
        return [.referer, .origin].contains { field in
            head.headerFields[field]?.split(separator: ":").first.flatMap { names.realScheme(for: String($0)) } != nil
        }
    }

    /// Of several that fit, the one that was noted last.
    /// - Parameter areAll: whether no page is open elsewhere, which may ask, too.
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
        // A style sheet's fonts, and pages that send no referrer.
        return pages.count == 1 && areAll ? pages[0] : pages.last { $0.isAtOrigin(of: request.head) }
    }

    /// By Fetch Metadata, and where an engine sends none, by what it accepts.
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
