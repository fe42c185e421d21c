// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import Synchronization

/// Counts how often in a row the document of a page was moved.
///
/// Each hop of a document is a request of its own, so a loop of them cannot be seen in one request.
/// Isolation: any.
final class DocumentHops: Sendable {
    /// A page that closes between two hops leaves its count behind: where so many have, they are forgotten.
    private static let capacity = 64
    private let counts = Mutex<[PageID: Int]>([:])

    /// Counts one more hop, and returns how many there are; 1 for a page that is not known.
    func next(for page: PageAttribution?) -> Int {
        guard let id = page?.page.id else { return 1 }
        return counts.withLock { counts in
            if counts.count >= Self.capacity, counts[id] == nil { counts.removeAll() }
            counts[id, default: 0] += 1
            return counts[id, default: 1]
        }
    }

    /// The document was answered otherwise.
    func end(for page: PageAttribution?) {
        guard let id = page?.page.id else { return }
        counts.withLock { $0[id] = nil }
    }
}
