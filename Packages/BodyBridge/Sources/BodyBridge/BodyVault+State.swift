// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension BodyVault {
    /// One body.
    struct Entry {
        typealias Reader = CheckedContinuation<Data?, any Error>
        typealias Writer = CheckedContinuation<Void, any Error>

        /// What nobody has read yet.
        var pieces: [Data] = []
        /// The bytes of `pieces`.
        var waiting = 0
        /// How many bytes have come.
        var received: Int64 = 0
        /// How many bytes it has in all, as its request says; `nil` before that is there.
        var length: Int64?
        /// Who waits for a piece.
        var reader: Reader?
        /// Who waits for room.
        var writer: Writer?
        /// Counts what happens to it.
        var touches = 0
        /// Drops it where nothing happens to it; it ends with the body.
        var watch: Task<Void, any Error>?

        func end(with error: ResourceError) {
            watch?.cancel()
            reader?.resume(throwing: error)
            writer?.resume(throwing: error)
        }
    }

    /// All bodies, as a value. Who is to be resumed is returned, and resumed without the lock.
    struct State {
        var entries: [BodyID: Entry] = [:]
        /// In all entries; as many are taken from the budget.
        private(set) var bytes = 0
        private let budget: ByteBudget?

        init(budget: ByteBudget?) {
            self.budget = budget
        }

        /// Makes room for a body that is not known yet.
        mutating func open(_ id: BodyID, _ limits: Limits) throws {
            guard entries[id] == nil else { return }
            guard entries.count < limits.count else {
                throw ResourceError(.tooLarge, "more than \(limits.count) bodies wait for their requests")
            }
            entries[id] = Entry()
        }

        /// - Returns: who is to get the piece, and whether who brought it has to wait.
        mutating func append(_ piece: Data, to id: BodyID, _ limits: Limits) throws -> (Entry.Reader?, Bool) {
            guard var entry = entries[id], !piece.isEmpty else { return (nil, false) }
            let received = entry.received + Int64(piece.count)
            guard received <= entry.length ?? .max else {
                throw BodyVault.tooLong
            }
            entry.received = received
            entry.touches += 1
            if let reader = entry.reader {
                entry.reader = nil
                entries[id] = entry
                return (reader, false)
            }
            guard bytes + piece.count <= limits.bytes else {
                throw ResourceError(.tooLarge, "bodies of more than \(limits.bytes) bytes wait for their requests")
            }
            guard budget?.take(piece.count) ?? true else {
                throw ResourceError(.tooLarge, "bodies of all pages fill the memory that is set aside for them")
            }
            entry.pieces.append(piece)
            entry.waiting += piece.count
            bytes += piece.count
            entries[id] = entry
            return (nil, entry.waiting > limits.lead)
        }

        /// - Returns: the answer, or none where `reader` waits now; and who has room again.
        mutating func next(
            of id: BodyID, _ limits: Limits, _ reader: Entry.Reader
        ) -> (answer: Result<Data?, any Error>?, writer: Entry.Writer?) {
            guard var entry = entries[id] else {
                return (.failure(ResourceError(.cancelled, "the body was dropped")), nil)
            }
            entry.touches += 1
            var writer: Entry.Writer?
            var answer: Result<Data?, any Error>?
            if !entry.pieces.isEmpty {
                let piece = entry.pieces.removeFirst()
                entry.waiting -= piece.count
                giveBack(piece.count)
                if entry.waiting <= limits.lead { swap(&writer, &entry.writer) }
                answer = .success(piece)
            } else if entry.received == entry.length {
                entries[id] = nil
                entry.watch?.cancel()
                return (.success(nil), entry.writer)
            } else {
                entry.reader = reader
            }
            entries[id] = entry
            return (answer, writer)
        }

        mutating func remove(_ id: BodyID) -> Entry? {
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            giveBack(entry.waiting)
            return entry
        }

        mutating func removeAll() -> [Entry] {
            defer { entries = [:] }
            giveBack(bytes)
            return Array(entries.values)
        }

        private mutating func giveBack(_ count: Int) {
            bytes -= count
            budget?.giveBack(count)
        }
    }
}
