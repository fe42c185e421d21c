// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The sizes of a header; values that do not fit 32 bits come from the zip64 field (APPNOTE 4.5.3).
struct Zip64Sizes {
    let size: Int64
    let compressed: Int64
    /// The offset of the local header, or `nil` if the sizes belong to a local header.
    let offset: Int64?
    let disk: UInt32

    /// Reads the sizes of a header.
    /// - Parameter offset32: the 32-bit offset, or `nil` for a local header.
    init(
        size size32: UInt32, compressed compressed32: UInt32, offset offset32: UInt32?, disk disk16: UInt16?,
        extra: ArraySlice<UInt8>?, at name: String
    ) throws {
        var reader = LittleEndian(extra ?? [])
        func wide(_ narrow: UInt32, _ what: String) throws -> Int64 {
            guard narrow == 0xFFFF_FFFF else { return Int64(narrow) }
            guard let value = reader.uint64() else {
                throw PackageError(.damaged, "the zip64 field has no \(what)", at: name)
            }
            guard let number = Int64(exactly: value), number < 1 << 56 else {
                throw PackageError(.damaged, "the \(what) is out of range", at: name)
            }
            return number
        }
        size = try wide(size32, "size")
        compressed = try wide(compressed32, "compressed size")
        offset = try offset32.map { try wide($0, "offset") }
        if disk16 == 0xFFFF {
            guard let number = reader.uint32() else {
                throw PackageError(.damaged, "the zip64 field has no disk number", at: name)
            }
            disk = number
        } else {
            disk = UInt32(disk16 ?? 0)
        }
    }
}
