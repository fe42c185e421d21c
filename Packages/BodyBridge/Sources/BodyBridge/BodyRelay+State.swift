// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

extension BodyRelay {
    /// The state of one body.
    struct Entry {
        typealias Reader = CheckedContinuation<Data?, any Error>
        typealias Writer = CheckedContinuation<Void, any Error>
        typealias Waiter = CheckedContinuation<Void, Never>

        /// The pieces that have not been read yet.
        var pieces: [Data] = []
        /// The number of bytes in `pieces`.
        var waiting = 0
        /// The number of bytes received.
        var received: Int64 = 0
        /// The total length in bytes, from the request; `nil` before the request is known.
        var length: Int64?
        /// The length in bytes of a held body, which is the body of a form and must be complete before its request
        /// begins; `nil` for other bodies.
        var heldLength: Int64?
        /// The file of a held body that is longer than the lead. A body with a file has no pieces.
        var file: TemporaryBodyFile?
        /// The number of bytes read from the file.
        var fileOffset: Int64 = 0
        /// The continuations that wait until a held body is complete.
        var waiters: [Waiter] = []
        /// The continuation that waits for a piece.
        var reader: Reader?
        /// The continuation of a writer that waits for space.
        var writer: Writer?
        /// A counter of activity, which `watch` compares.
        var touches = 0
        /// The task that drops the body after inactivity; it ends with the body.
        var watch: Task<Void, any Error>?

        func end(with error: ResourceError) {
            watch?.cancel()
            for waiter in waiters { waiter.resume() }
            reader?.resume(throwing: error)
            writer?.resume(throwing: error)
        }
    }

    /// The state of all bodies, as a value. Methods return the continuations to resume. Callers resume them after
    /// releasing the lock.
    struct State {
        var entries: [BodyID: Entry] = [:]
        /// The number of bytes in all entries, which is also the number reserved from the budget.
        private(set) var bytes = 0
        /// The total length of all bodies that have a file.
        private(set) var heldBytes: Int64 = 0
        private let budget: ByteBudget?

        init(budget: ByteBudget?) {
            self.budget = budget
        }

        /// Creates the entry of a body, unless it exists.
        mutating func open(_ id: BodyID, _ limits: BodyLimits) throws {
            guard entries[id] == nil else { return }
            guard entries.count < limits.count else {
                throw ResourceError(.tooLarge, "more than \(limits.count) bodies are waiting for their requests")
            }
            entries[id] = Entry()
        }

        /// Appends a piece to a body.
        /// - Returns: the reader that receives the piece, and a Boolean value that indicates whether the writer has to
        ///   wait.
        mutating func append(_ piece: Data, to id: BodyID, _ limits: BodyLimits) throws -> (Entry.Reader?, Bool) {
            guard var entry = entries[id], !piece.isEmpty else { return (nil, false) }
            let received = entry.received + Int64(piece.count)
            guard received <= entry.length ?? entry.heldLength ?? .max else {
                throw BodyRelay.tooLong
            }
            entry.received = received
            entry.touches += 1
            if let file = entry.file {
                let reader = entry.reader
                if reader == nil {
                    try file.write(piece, at: received - Int64(piece.count))
                } else {
                    entry.reader = nil
                    entry.fileOffset = received
                }
                entries[id] = entry
                return (reader, false)
            }
            if let reader = entry.reader {
                entry.reader = nil
                entries[id] = entry
                return (reader, false)
            }
            guard bytes + piece.count <= limits.bytes else {
                throw ResourceError(.tooLarge, "the waiting bodies exceed the limit of \(limits.bytes) bytes")
            }
            guard budget?.reserve(piece.count) ?? true else {
                throw ResourceError(.tooLarge, "the bodies of all pages exceed the memory budget")
            }
            entry.pieces.append(piece)
            entry.waiting += piece.count
            bytes += piece.count
            entries[id] = entry
            return (nil, entry.waiting > limits.lead)
        }

        /// Creates the entry of a body that must be complete before its request begins.
        mutating func hold(_ id: BodyID, length: Int64, _ limits: BodyLimits) throws {
            guard entries[id] == nil else { return }
            try open(id, limits)
            guard length > limits.lead else {
                entries[id]?.heldLength = length
                return
            }
            // A body beyond the limit is not held: it arrives while its request is in progress, like the bodies of
            // other requests.
            guard length <= limits.heldBytes - heldBytes else { return }
            do {
                entries[id]?.file = try TemporaryBodyFile()
            } catch {
                entries[id] = nil
                throw error
            }
            entries[id]?.heldLength = length
            heldBytes += length
        }

        /// Returns a Boolean value that indicates whether a held body is not complete yet.
        func isIncomplete(_ id: BodyID) -> Bool {
            guard let entry = entries[id], let length = entry.heldLength else { return false }
            return entry.received < length
        }

        mutating func removeWaitersOfWhole(_ id: BodyID) -> [Entry.Waiter] {
            guard let entry = entries[id], !entry.waiters.isEmpty, !isIncomplete(id) else { return [] }
            entries[id]?.waiters = []
            return entry.waiters
        }

        /// Returns the next piece of a body.
        /// - Returns: the piece, or `nil` if `reader` now waits for it; and the writer to resume, which has space
        ///   again.
        mutating func next(
            of id: BodyID, _ limits: BodyLimits, _ reader: Entry.Reader
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
                release(piece.count)
                if entry.waiting <= limits.lead { swap(&writer, &entry.writer) }
                answer = .success(piece)
            } else if let file = entry.file, entry.fileOffset < entry.received {
                let count = Int(min(Int64(TemporaryBodyFile.pieceLength), entry.received - entry.fileOffset))
                let offset = entry.fileOffset
                answer = Result { try file.read(count, at: offset) }
                entry.fileOffset += Int64(count)
            } else if entry.received == entry.length {
                _ = remove(id)
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
            release(entry.waiting)
            if entry.file != nil { heldBytes -= entry.heldLength ?? 0 }
            return entry
        }

        mutating func removeAll() -> [Entry] {
            defer { entries = [:] }
            release(bytes)
            heldBytes = 0
            return Array(entries.values)
        }

        private mutating func release(_ count: Int) {
            bytes -= count
            budget?.release(count)
        }
    }
}
