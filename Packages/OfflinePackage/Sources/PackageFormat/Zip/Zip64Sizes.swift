// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The sizes of a header, with those that do not fit 32 bits taken from the zip64 field (APPNOTE 4.5.3).
struct Zip64Sizes {
    let size: Int64
    let compressed: Int64
    /// `nil` in a local header.
    let offset: Int64?
    let disk: UInt32

    /// - Parameter offset: `nil` for a local header, which has none.
    init(
        size size32: UInt32, compressed compressed32: UInt32, offset offset32: UInt32?, disk disk16: UInt16?,
        extra: ArraySlice<UInt8>?, at name: String
    ) throws {
        var reader = LittleEndian(extra ?? [])
        func wide(_ narrow: UInt32, _ what: String) throws -> Int64 {
            guard narrow == 0xFFFF_FFFF else { return Int64(narrow) }
            guard let value = reader.uint64() else {
                throw PackageError(.damaged, "no \(what) in the zip64 field", at: name)
            }
            guard let number = Int64(exactly: value), number < 1 << 56 else {
                throw PackageError(.damaged, "absurd \(what)", at: name)
            }
            return number
        }
        size = try wide(size32, "size")
        compressed = try wide(compressed32, "compressed size")
        offset = try offset32.map { try wide($0, "offset") }
        if disk16 == 0xFFFF {
            guard let number = reader.uint32() else {
                throw PackageError(.damaged, "no disk number in the zip64 field", at: name)
            }
            disk = number
        } else {
            disk = UInt32(disk16 ?? 0)
        }
    }
}
