// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import HTTPTypes
internal import ResourceLoading

/// The state of rewriting for open pages: the `integrity` requirements that were removed from their documents, the
/// origins of the custom-scheme URLs that they received, and the charset of their document.
///
/// Only a page's own document sets requirements, and a new document replaces them. Frames and requests of scripts do
/// not change them. If a limit is reached, the attribute stays in the document and the engine checks it.
///
/// Isolation: any.
final class RewriteRecord: Sendable {
    private struct Page {
        var demands: [String: [IntegrityMetadata]] = [:]
        var origins: Set<WebOrigin> = []
        var charset: TextCharset?
    }

    private struct State {
        var pages: [PageID: Page] = [:]
        /// The recently closed pages. Later events of a closed page must not create state that is never removed.
        var closed: [PageID] = []
    }

    private static let maxPages = 128
    private static let maxClosed = 256
    private static let maxEntries = 256
    private static let maxOrigins = 256
    private static let maxDemands = 4
    private static let maxBytes = 2_048
    private let state = Mutex(State())

    /// Removes the state of a closed page.
    func removePage(_ page: PageID) {
        state.withLock { state in
            state.pages[page] = nil
            if state.closed.count >= Self.maxClosed { state.closed.removeFirst(Self.maxClosed / 2) }
            state.closed.append(page)
        }
    }

    /// Resets the requirements for a new document of the page. The recorded origins stay, because the page may still
    /// request them.
    /// - Parameters:
    ///   - page: The page.
    ///   - charset: The charset of the new document, if known.
    func begin(_ page: PageID, charset: TextCharset?) {
        change(page) {
            $0.demands = [:]
            $0.charset = charset
        }
    }

    /// Changes the state of a page.
    /// - Returns: `false` if the limit of pages is reached or the page is closed.
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

    /// Records the charset that a page's document declares.
    func record(_ charset: TextCharset, of page: PageID) {
        change(page) { $0.charset = charset }
    }

    /// Returns the charset of a page's document; `nil` if it declares none.
    func charset(of page: PageID) -> TextCharset? {
        state.withLock { $0.pages[page]?.charset }
    }

    // MARK: Names

    /// Records that a page received a custom-scheme URL.
    func recordName(of url: String, for page: PageID) {
        guard let origin = WebOrigin(url: url), origin.authority.utf8.count <= Self.maxBytes else {
            return
        }
        change(page) {
            if $0.origins.count < Self.maxOrigins { $0.origins.insert(origin) }
        }
    }

    /// Returns a Boolean value that indicates whether a page received a custom-scheme URL of a request's origin.
    func hasNames(on request: HTTPRequest, for page: PageID) -> Bool {
        guard request.authority?.utf8.contains(UInt8(ascii: "@")) == false, let origin = request.webOrigin else {
            return false
        }
        return state.withLock { $0.pages[page]?.origins.contains(origin) } ?? false
    }

    // MARK: Integrity

    /// Adds a requirement to those of the same URL.
    /// - Returns: A Boolean value that indicates whether the requirement is stored.
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

    /// Returns a Boolean value that indicates whether a page has requirements.
    func hasDemands(of page: PageID) -> Bool {
        state.withLock { $0.pages[page]?.demands.isEmpty == false }
    }

    /// Returns the requirements of a page for a URL.
    func demands(on url: String, of page: PageID) -> [IntegrityMetadata] {
        state.withLock { $0.pages[page]?.demands[url] ?? [] }
    }
}
