// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import Synchronization

/// What the style sheets of open pages must be, since their `integrity` was taken out of the document.
///
/// Isolation: any.
final class IntegrityLedger: Sendable {
    /// What one page has noted.
    private struct Notes {
        var entries: [String: Entry] = [:]
        var order: [String] = []
    }

    private struct Entry {
        var document: UInt64
        var demands: [IntegrityMetadata]
    }

    private struct State {
        var pages: [PageID: Notes] = [:]
        /// The page that has noted something last is last.
        var order: [PageID] = []
        var documents: UInt64 = 0
    }

    private static let maxPages = 128
    private static let maxEntries = 256
    private static let maxMetadataBytes = 4_096
    private let state = Mutex(State())

    /// A number for a document that is about to be read.
    func nextDocument() -> UInt64 {
        state.withLock { state in
            state.documents += 1
            return state.documents
        }
    }

    /// Notes a demand. A document replaces what another one of its page has noted of the same URL, and adds to its own.
    /// - Returns: whether it is noted.
    func note(_ url: String, _ value: String, of page: PageID, document: UInt64) -> Bool {
        guard value.utf8.count <= Self.maxMetadataBytes, url.utf8.count <= Self.maxMetadataBytes,
            let demand = IntegrityMetadata(value)
        else { return false }
        return state.withLock { state in
            var notes = state.pages[page] ?? Notes()
            if var entry = notes.entries[url] {
                if entry.document != document { entry = Entry(document: document, demands: []) }
                if !entry.demands.contains(demand) { entry.demands.append(demand) }
                guard entry.demands.count <= 16 else { return false }
                notes.entries[url] = entry
            } else {
                if notes.order.count >= Self.maxEntries {
                    // What an earlier document has noted goes first; of this one nothing does.
                    guard let old = notes.order.first, notes.entries[old]?.document != document else { return false }
                    notes.order.removeFirst()
                    notes.entries[old] = nil
                }
                notes.entries[url] = Entry(document: document, demands: [demand])
                notes.order.append(url)
            }
            state.order.removeAll { $0 == page }
            state.order.append(page)
            state.pages[page] = notes
            if state.order.count > Self.maxPages { state.pages[state.order.removeFirst()] = nil }
            return true
        }
    }

    /// What a URL must be for a page.
    func demands(on url: String, of page: PageID) -> [IntegrityMetadata] {
        state.withLock { $0.pages[page]?.entries[url]?.demands ?? [] }
    }
}
