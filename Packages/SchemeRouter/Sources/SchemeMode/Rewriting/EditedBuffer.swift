// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// A buffer that prepends held-back bytes to new bytes and applies edits.
struct EditedBuffer {
    private var held: [UInt8] = []
    private var edits: [ByteEdit] = []
    private var isAtStart = true
    /// A Boolean value that indicates whether the text begins with a UTF-16 byte order mark and is therefore not
    /// ASCII-compatible.
    private var isOpaque = false

    /// Passes the held-back bytes and a new piece to a closure, and applies the edits of the closure.
    /// - Parameters:
    ///   - piece: The new bytes.
    ///   - isLast: A Boolean value that indicates whether the text ends here.
    ///   - read: A closure that adds edits in order and returns the number of finished bytes.
    /// - Returns: The finished bytes with the edits applied.
    mutating func append(
        _ piece: Data, isLast: Bool, read: (UnsafeBufferPointer<UInt8>, inout [ByteEdit]) -> Int
    ) -> Data {
        if isAtStart, !isLast || !held.isEmpty || !piece.isEmpty {
            let start = held + piece.prefix(2)
            // The piece contains at most half of a byte order mark.
            if start.count < 2, !isLast, start.allSatisfy({ $0 >= 0xFE }) {
                held = start
                return Data()
            }
            isAtStart = false
            isOpaque = start.starts(with: [0xFE, 0xFF]) || start.starts(with: [0xFF, 0xFE])
        }
        if isOpaque {
            defer { held = [] }
            return held.isEmpty ? piece : Data(held) + piece
        }
        edits.removeAll(keepingCapacity: true)
        guard held.isEmpty else {
            held.append(contentsOf: piece)
            let (done, result) = held.withUnsafeBufferPointer { bytes in
                let done = read(bytes, &edits)
                return (done, Self.apply(edits, to: bytes[..<done]))
            }
            held.removeFirst(done)
            return result
        }
        // Usually nothing is held back. The piece is then read in place, and returned without a copy if there are no
        // edits.
        let (done, result): (Int, Data?) = piece.withUnsafeBytes { raw in
            raw.withMemoryRebound(to: UInt8.self) { bytes in
                let done = read(bytes, &edits)
                held.append(contentsOf: bytes[done...])
                return (done, edits.isEmpty ? nil : Self.apply(edits, to: bytes[..<done]))
            }
        }
        return result ?? (done == piece.count ? piece : piece.prefix(done))
    }

    private static func apply(_ edits: [ByteEdit], to bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Data {
        var result = Data()
        result.reserveCapacity(bytes.count + edits.count * 24)
        var done = bytes.startIndex
        for edit in edits {
            result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[done..<edit.range.lowerBound]))
            result.append(contentsOf: edit.replacement)
            done = edit.range.upperBound
        }
        result.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[done...]))
        return result
    }
}

/// The replacement of a range of bytes. An empty range inserts.
struct ByteEdit: Equatable {
    /// The offsets in the unedited text.
    var range: Range<Int>
    var replacement: [UInt8]

    init(_ range: Range<Int>, _ replacement: some Sequence<UInt8>) {
        self.range = range
        self.replacement = Array(replacement)
    }

    /// Returns the edit with its range moved by an offset.
    func moved(by offset: Int) -> ByteEdit {
        ByteEdit(range.lowerBound + offset..<range.upperBound + offset, replacement)
    }

    /// Applies edits, which must be in order and must not overlap.
    static func apply(_ edits: [ByteEdit], to bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var done = 0
        for edit in edits {
            result += bytes[done..<edit.range.lowerBound]
            result += edit.replacement
            done = edit.range.upperBound
        }
        return result + bytes[done...]
    }
}
