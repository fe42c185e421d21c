// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A reader of consecutive little-endian numbers that returns `nil` at the end of its bytes.
struct LittleEndian {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: some Sequence<UInt8>) {
        rest = ArraySlice(bytes)
    }

    init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    mutating func read(_ count: Int) -> ArraySlice<UInt8>? {
        guard count >= 0, count <= rest.count else { return nil }
        let taken = rest.prefix(count)
        rest = rest.dropFirst(count)
        return taken
    }

    mutating func uint16() -> UInt16? { number() }
    mutating func uint32() -> UInt32? { number() }
    mutating func uint64() -> UInt64? { number() }

    private mutating func number<Number: FixedWidthInteger>() -> Number? {
        guard let bytes = read(MemoryLayout<Number>.size) else { return nil }
        return bytes.reversed().reduce(0) { $0 << 8 | Number($1) }
    }
}

/// The four-byte signatures of the structures of a zip.
enum ZipSignature {
    static let local: [UInt8] = [0x50, 0x4B, 3, 4]
    static let central: [UInt8] = [0x50, 0x4B, 1, 2]
    static let end: [UInt8] = [0x50, 0x4B, 5, 6]
    static let zip64End: [UInt8] = [0x50, 0x4B, 6, 6]
    static let zip64Locator: [UInt8] = [0x50, 0x4B, 6, 7]
    static let descriptor: [UInt8] = [0x50, 0x4B, 7, 8]
}
