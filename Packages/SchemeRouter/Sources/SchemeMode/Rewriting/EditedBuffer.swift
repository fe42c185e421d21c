// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// What is held back of a text, in front of what arrives.
struct EditedBuffer {
    private var held: [UInt8] = []
    private var edits: [ByteEdit] = []
    private var isAtStart = true
    /// Whether the text begins with the mark of UTF-16, in which ASCII cannot be found.
    private var isOpaque = false

    /// Lets `read` read what is held back and a new piece.
    /// - Parameter read: notes changes, in order, and returns how many bytes it is done with.
    /// - Returns: those bytes, changed.
    mutating func append(
        _ piece: Data, isLast: Bool, read: (UnsafeBufferPointer<UInt8>, inout [ByteEdit]) -> Int
    ) -> Data {
        if isAtStart, !isLast || !held.isEmpty || !piece.isEmpty {
            let start = held + piece.prefix(2)
            // Half of a mark, or nothing.
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
        // Mostly nothing is held back: the piece is read where it lies, and handed on as it is where nothing changes.
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

/// One change of a text: the bytes of a range become others. An empty range inserts.
struct ByteEdit: Equatable {
    /// Offsets in the text before any change.
    var range: Range<Int>
    var replacement: [UInt8]

    init(_ range: Range<Int>, _ replacement: some Sequence<UInt8>) {
        self.range = range
        self.replacement = Array(replacement)
    }

    /// The same change of a text that has `offset` more bytes in front.
    func moved(by offset: Int) -> ByteEdit {
        ByteEdit(range.lowerBound + offset..<range.upperBound + offset, replacement)
    }

    /// Makes all changes, which are in order and do not overlap.
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
