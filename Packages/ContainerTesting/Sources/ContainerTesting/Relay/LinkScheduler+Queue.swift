// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

extension LinkScheduler {
    /// What one connection has still to send.
    struct Queue: Sendable {
        private struct Entry {
            var content: Segment.Content
            let readyAt: Duration
        }

        private var entries = CircularBuffer<Entry>()

        var isEmpty: Bool { entries.isEmpty }

        /// When the first entry may begin to leave.
        var readyAt: Duration? { entries.first?.readyAt }

        mutating func append(_ content: Segment.Content, readyAt: Duration) {
            // Entries leave in order, so one is never ready before its predecessor.
            let ready = max(readyAt, entries.last?.readyAt ?? readyAt)
            entries.append(Entry(content: content, readyAt: ready))
        }

        /// Takes an end or a reset, or up to `limit` bytes of what is ready.
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
