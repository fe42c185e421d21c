// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation

/// A few megabytes of small blobs on their way to the database, in memory that is used again and again.
///
/// One buffer and not one for each blob: memory that one thread takes and another gives back goes to the system in
/// between, and 50 MB of fresh pages take as long as hashing them.
///
/// Unchecked: only the batch that owns the chunk appends, under its mutex and before the chunk is sent to be written, and
/// it is reset only after it was written and the store has hidden its blobs. What was appended does not change until then,
/// so a range that was made known under a mutex may be read by any thread.
final class BlobChunk: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer
    /// Where each blob lies.
    private(set) var ranges: [SHA256Digest: Range<Int>] = [:]
    /// How many bytes are in use.
    private(set) var count = 0

    init(capacity: Int) {
        // Not touched before it is needed, so it costs nothing where a batch brings little.
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// Takes a blob in, or returns `nil` where there is no room for it.
    func append(_ bytes: Data, as id: SHA256Digest) -> Range<Int>? {
        guard bytes.count <= buffer.count - count else { return nil }
        let range = count..<count + bytes.count
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[range]).copyMemory(from: $0) }
        ranges[id] = range
        count = range.upperBound
        return range
    }

    /// Copies a blob's bytes.
    func bytes(in range: Range<Int>) -> Data {
        Data(buffer[range])
    }

    /// Gives a blob's bytes as they lie here. They are of use only during the call.
    func withBytes<Value>(in range: Range<Int>, _ body: (Data) throws -> Value) rethrows -> Value {
        guard let base = buffer.baseAddress, !range.isEmpty else { return try body(Data()) }
        return try body(Data(bytesNoCopy: base + range.lowerBound, count: range.count, deallocator: .none))
    }

    func reset() {
        ranges.removeAll(keepingCapacity: true)
        count = 0
    }
}

/// The bytes of one blob while they arrive: in memory as long as they are few, then in a file under `staging/`.
enum BlobBuffer: Sendable {
    case memory(Data)
    case file(StagedFile)

    /// Appends bytes.
    /// - Parameters:
    ///   - limit: how many bytes may stay in memory.
    ///   - makeFile: called at most once, when there are more.
    mutating func append(_ chunk: Data, upTo limit: Int, makeFile: () throws -> StagedFile) throws {
        switch self {
        case .file(let file): try file.write(chunk)
        case .memory(var bytes):
            guard bytes.count + chunk.count <= limit else {
                let file = try makeFile()
                try file.write(bytes)
                try file.write(chunk)
                self = .file(file)
                return
            }
            // Copied on purpose: a slice would keep all of the buffer that it was cut from.
            self = .memory(Data())
            bytes.append(chunk)
            self = .memory(bytes)
        }
    }
}
