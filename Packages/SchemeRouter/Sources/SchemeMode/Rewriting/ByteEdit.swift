// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
