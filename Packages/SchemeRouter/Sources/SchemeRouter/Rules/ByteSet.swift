// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A set of byte values.
struct ByteSet: Hashable {
    private var words = SIMD4<UInt64>()

    init() {}

    init(_ byte: UInt8) {
        insert(byte)
    }

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    static let all = ByteSet().inverted
    /// All bytes except the path separator.
    static let segment = ByteSet(UInt8(ascii: "/")).inverted
    static let digits = ByteSet(UInt8(ascii: "0")...UInt8(ascii: "9"))
    static let word = ByteSet(
        Array(UInt8(ascii: "a")...UInt8(ascii: "z")) + Array(UInt8(ascii: "A")...UInt8(ascii: "Z"))
            + Array(UInt8(ascii: "0")...UInt8(ascii: "9")) + [UInt8(ascii: "_")])

    var inverted: ByteSet {
        var set = self
        set.words = ~words
        return set
    }

    var isEmpty: Bool { words == SIMD4() }

    func contains(_ byte: UInt8) -> Bool {
        words[Int(byte >> 6)] >> UInt64(byte & 63) & 1 == 1
    }

    mutating func insert(_ byte: UInt8) {
        words[Int(byte >> 6)] |= 1 << UInt64(byte & 63)
    }

    mutating func formUnion(_ other: ByteSet) {
        words |= other.words
    }

    /// The byte if the set contains exactly one.
    var single: UInt8? {
        var found: UInt8?
        var count = 0
        forEach { byte in
            found = byte
            count += 1
        }
        return count == 1 ? found : nil
    }

    func forEach(_ body: (UInt8) -> Void) {
        for word in 0..<4 {
            var left = words[word]
            while left != 0 {
                body(UInt8(word * 64 + left.trailingZeroBitCount))
                left &= left &- 1
            }
        }
    }
}
