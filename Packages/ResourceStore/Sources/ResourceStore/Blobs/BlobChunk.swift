// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation

/// A buffer of a few megabytes that holds small blobs until they are written to the database. Buffers are reused.
///
/// One buffer holds many blobs, because the allocator returns memory to the system if one thread allocates the memory
/// and another thread frees it. Page faults for 50 MB of fresh memory take as much time as hashing 50 MB.
///
/// Unchecked: only the batch that owns the chunk appends to it, under the batch's mutex and before the chunk is sent to
/// be written. It is reset only after it was written and the store has hidden its blobs. Appended bytes do not change
/// until then, so that any thread may read a range that was published under a mutex.
final class BlobChunk: @unchecked Sendable {
    private let buffer: UnsafeMutableRawBufferPointer
    /// The byte range of each blob.
    private(set) var ranges: [SHA256Digest: Range<Int>] = [:]
    /// The number of bytes in use.
    private(set) var count = 0

    init(capacity: Int) {
        // The system maps pages on first use, so that a mostly empty buffer costs little.
        buffer = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// Appends a blob and returns its range, or returns `nil` if there is not enough space.
    func append(_ bytes: Data, as id: SHA256Digest) -> Range<Int>? {
        guard bytes.count <= buffer.count - count else { return nil }
        let range = count..<count + bytes.count
        bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[range]).copyMemory(from: $0) }
        ranges[id] = range
        count = range.upperBound
        return range
    }

    /// Returns a copy of a blob's bytes.
    func bytes(in range: Range<Int>) -> Data {
        Data(buffer[range])
    }

    /// Calls a closure with a blob's bytes without a copy. The bytes are valid only during the call.
    func withBytes<Value>(in range: Range<Int>, _ body: (Data) throws -> Value) rethrows -> Value {
        guard let base = buffer.baseAddress, !range.isEmpty else { return try body(Data()) }
        return try body(Data(bytesNoCopy: base + range.lowerBound, count: range.count, deallocator: .none))
    }

    func reset() {
        ranges.removeAll(keepingCapacity: true)
        count = 0
    }
}

/// The bytes of one blob while they arrive: in memory up to a limit, then in a file under `staging/`.
enum BlobBuffer: Sendable {
    case memory(Data)
    case file(StagedFile)

    /// Appends bytes.
    /// - Parameters:
    ///   - limit: the maximum number of bytes in memory.
    ///   - makeFile: a closure that creates the file; it is called at most once, when the limit is exceeded.
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
            // The copy is intentional: a slice would retain the whole buffer that it belongs to.
            self = .memory(Data())
            bytes.append(chunk)
            self = .memory(bytes)
        }
    }
}
