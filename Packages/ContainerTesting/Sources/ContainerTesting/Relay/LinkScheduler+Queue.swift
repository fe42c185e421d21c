// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

extension LinkScheduler {
    /// The unsent data of one connection.
    struct Queue: Sendable {
        private struct Entry {
            var content: Segment.Content
            let readyAt: Duration
        }

        private var entries = CircularBuffer<Entry>()

        var isEmpty: Bool { entries.isEmpty }

        /// The earliest time at which the first entry may be sent.
        var readyAt: Duration? { entries.first?.readyAt }

        mutating func append(_ content: Segment.Content, readyAt: Duration) {
            // Entries are sent in order, so an entry is ready at the same time as its predecessor or later.
            let ready = max(readyAt, entries.last?.readyAt ?? readyAt)
            entries.append(Entry(content: content, readyAt: ready))
        }

        /// Removes an end or a reset, or up to `limit` bytes that are ready.
        mutating func dequeue(upTo limit: Int, readyBy instant: Duration) -> Segment.Content? {
            guard let first = entries.first else { return nil }
            guard case .bytes = first.content else {
                entries.removeFirst()
                return first.content
            }
            var taken = 0
            while taken < limit, let entry = entries.first, entry.readyAt <= instant,
                case .bytes(let count) = entry.content
            {
                let part = min(count, limit - taken)
                taken += part
                if part == count {
                    entries.removeFirst()
                } else {
                    entries[entries.startIndex].content = .bytes(count - part)
                }
            }
            return .bytes(taken)
        }
    }
}
