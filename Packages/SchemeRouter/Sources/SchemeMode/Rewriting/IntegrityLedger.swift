// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading
internal import Synchronization

/// What the style sheets of open pages must be, since their `integrity` was taken out of the document.
///
/// A page's own document alone notes something, and a new one begins anew: neither a frame nor what a script asks for
/// changes what the page's style sheets must be. Where there is no room the attribute stays in the document, and the
/// engine judges. Isolation: any.
public final class IntegrityLedger: Sendable {
    private static let maxPages = 128
    private static let maxEntries = 256
    private static let maxDemands = 4
    private static let maxBytes = 2_048
    private let pages = Mutex<[PageID: [String: [IntegrityMetadata]]]>([:])

    public init() {}

    /// Forgets a page that is closed, or whose document is replaced.
    public func forget(_ page: PageID) {
        pages.withLock { $0[page] = nil }
    }

    /// Notes a demand beside those that are noted of the same URL.
    /// - Returns: whether it is noted.
    func note(_ url: String, _ value: String, of page: PageID) -> Bool {
        guard value.utf8.count <= Self.maxBytes, url.utf8.count <= Self.maxBytes,
            let demand = IntegrityMetadata(value)
        else { return false }
        return pages.withLock { pages in
            guard pages[page] != nil || pages.count < Self.maxPages,
                pages[page]?[url] != nil || (pages[page]?.count ?? 0) < Self.maxEntries
            else { return false }
            let known = pages[page]?[url] ?? []
            if known.contains(demand) { return true }
            guard known.count < Self.maxDemands else { return false }
            pages[page, default: [:]][url, default: []].append(demand)
            return true
        }
    }

    /// What a URL must be for a page.
    func demands(on url: String, of page: PageID) -> [IntegrityMetadata] {
        pages.withLock { $0[page]?[url] ?? [] }
    }
}
