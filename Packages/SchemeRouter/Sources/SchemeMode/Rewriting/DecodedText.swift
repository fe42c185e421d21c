// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A text behind escapes, with the way back: a change of the text becomes a change of what is written.
struct DecodedText {
    /// The text. What is not ASCII and came from an escape is one byte 0x80: nothing here looks at it.
    private(set) var bytes: [UInt8] = []
    /// For each byte of the text where it is written, and at last where the writing ends; empty where both are the same.
    private var offsets: [Int] = []
    /// A text as it is written.
    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// A text that is about to be decoded with ``append(_:at:)`` and ``end(at:)``.
    init(decodingUpTo capacity: Int) {
        bytes.reserveCapacity(capacity)
        offsets.reserveCapacity(capacity + 1)
    }

    mutating func append(_ byte: UInt8, at offset: Int) {
        bytes.append(byte)
        offsets.append(offset)
    }

    mutating func end(at offset: Int) {
        offsets.append(offset)
    }

    /// The change of what is written that makes this change of the text.
    func written(_ edit: ByteEdit, escaping: (UInt8) -> [UInt8]? = { _ in nil }) -> ByteEdit {
        var range = edit.range
        if !offsets.isEmpty { range = offsets[range.lowerBound]..<offsets[range.upperBound] }
        guard edit.replacement.contains(where: { escaping($0) != nil }) else {
            return ByteEdit(range, edit.replacement)
        }
        return ByteEdit(range, edit.replacement.flatMap { escaping($0) ?? [$0] })
    }
}
