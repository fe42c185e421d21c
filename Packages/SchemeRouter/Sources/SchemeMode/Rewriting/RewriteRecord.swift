// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
public import ResourceLoading

/// What rewriting must remember of open pages: what their style sheets must be, since their `integrity` was taken out of
/// the document, which origins they were given names of, and the charset of their document.
///
/// A page's own document alone says what its style sheets must be, and a new one begins anew: neither a frame nor what a
/// script asks for changes that. Where there is no room the attribute stays in the document, and the engine judges.
/// Isolation: any.
public final class RewriteRecord: Sendable {
    private struct Page {
        var demands: [String: [IntegrityMetadata]] = [:]
        var origins: Set<WebOrigin> = []
        var charset: TextCharset?
    }

    private struct State {
        var pages: [PageID: Page] = [:]
        /// Pages that have closed lately: what comes late of them would stay for ever.
        var closed: [PageID] = []
    }

    private static let maxPages = 128
    private static let maxClosed = 256
    private static let maxEntries = 256
    private static let maxOrigins = 256
    private static let maxDemands = 4
    private static let maxBytes = 2_048
    private let state = Mutex(State())

    public init() {}

    /// Forgets a page that is closed.
    public func forget(_ page: PageID) {
        state.withLock { state in
            state.pages[page] = nil
            if state.closed.count >= Self.maxClosed { state.closed.removeFirst(Self.maxClosed / 2) }
            state.closed.append(page)
        }
    }

    /// Begins anew, since the page's document is replaced. What it was given may still be asked for.
    /// - Parameter charset: of the new document, where it is known.
    func begin(_ page: PageID, charset: TextCharset?) {
        change(page) {
            $0.demands = [:]
            $0.charset = charset
        }
    }

    /// Changes the notes of a page.
    /// - Returns: whether there is room for it.
    @discardableResult
    private func change(_ page: PageID, _ change: (inout Page) -> Void) -> Bool {
        state.withLock { state in
            guard state.pages[page] != nil || state.pages.count < Self.maxPages && !state.closed.contains(page) else {
                return false
            }
            change(&state.pages[page, default: Page()])
            return true
        }
    }

    // MARK: Charset

    /// Notes what a page's document says of its charset.
    func record(_ charset: TextCharset, of page: PageID) {
        change(page) { $0.charset = charset }
    }

    /// The charset of a page's document; `nil` where it says nothing.
    func charset(of page: PageID) -> TextCharset? {
        state.withLock { $0.pages[page]?.charset }
    }

    // MARK: Names

    /// Notes that a page was given a name of a URL.
    func recordName(of url: String, for page: PageID) {
        guard let origin = WebOrigin(url: url), origin.authority.utf8.count <= Self.maxBytes else {
            return
        }
        change(page) {
            if $0.origins.count < Self.maxOrigins { $0.origins.insert(origin) }
        }
    }

    /// Whether a page was given a name of the origin that a request goes to, from which relative URLs lead to all of it.
    public func hasNames(on request: HTTPRequest, for page: PageID) -> Bool {
        guard request.authority?.utf8.contains(UInt8(ascii: "@")) == false, let origin = request.webOrigin else {
            return false
        }
        return state.withLock { $0.pages[page]?.origins.contains(origin) } ?? false
    }

    // MARK: Integrity

    /// Notes a demand beside those that are noted of the same URL.
    /// - Returns: whether it is noted.
    func record(_ url: String, _ value: String, of page: PageID) -> Bool {
        guard value.utf8.count <= Self.maxBytes, url.utf8.count <= Self.maxBytes,
            let demand = IntegrityMetadata(value)
        else { return false }
        var isNoted = false
        change(page) { page in
            let known = page.demands[url] ?? []
            isNoted = known.contains(demand)
            guard !isNoted, known.count < Self.maxDemands, !known.isEmpty || page.demands.count < Self.maxEntries else {
                return
            }
            page.demands[url] = known + [demand]
            isNoted = true
        }
        return isNoted
    }

    /// Whether anything is demanded of what a page asks for.
    func hasDemands(of page: PageID) -> Bool {
        state.withLock { $0.pages[page]?.demands.isEmpty == false }
    }

    /// What a URL must be for a page.
    func demands(on url: String, of page: PageID) -> [IntegrityMetadata] {
        state.withLock { $0.pages[page]?.demands[url] ?? [] }
    }
}
