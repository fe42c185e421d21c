// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The extra fields of a header that affect the interpretation of an entry (APPNOTE 4.5).
struct ZipExtraFields {
    /// The content of the zip64 field (0x0001).
    private(set) var zip64: ArraySlice<UInt8>?
    /// The Unicode Path fields (0x7075): the CRC-32 of the replaced name, and the new name.
    private(set) var unicodePaths: [(crc32: UInt32, name: ArraySlice<UInt8>)] = []
    /// A Boolean value that indicates whether the entry is encrypted (AES, 0x9901; strong encryption, 0x0017).
    private(set) var isEncrypted = false
    /// A Boolean value that indicates whether the entry is a link or a device.
    ///
    /// The value comes from the fields of PKWARE Unix (0x000D), ASi Unix (0x756E) and libarchive (0x6C78).
    private(set) var isSpecial = false

    /// Reads the fields, or returns `nil` if they do not fill `bytes` exactly.
    init?(_ bytes: ArraySlice<UInt8>) {
        var reader = LittleEndian(bytes)
        while reader.rest.count >= 4 {
            guard let id = reader.uint16(), let length = reader.uint16(), let body = reader.read(Int(length)) else {
                return nil
            }
            guard read(id, body) else { return nil }
        }
        // Tools that align entries add up to three zero bytes.
        guard reader.rest.allSatisfy({ $0 == 0 }) else { return nil }
    }

    private mutating func read(_ id: UInt16, _ body: ArraySlice<UInt8>) -> Bool {
        var reader = LittleEndian(body)
        switch id {
        case 0x0001:
            guard zip64 == nil else { return false }
            zip64 = body
        case 0x7075:
            guard reader.read(1)?.first == 1, let crc32 = reader.uint32(), !reader.rest.isEmpty else { break }
            unicodePaths.append((crc32, reader.rest))
        case 0x0017, 0x9901:
            isEncrypted = true
        case 0x000D:
            // The field has two times, a user and a group. Further bytes are a link's target or a device's number.
            isSpecial = isSpecial || body.count > 12
        case 0x756E:
            guard reader.read(4) != nil, let mode = reader.uint16() else { return false }
            isSpecial = isSpecial || ZipAttributes.isSpecial(mode: UInt32(mode))
        case 0x6C78:
            // A bit map of the fields that follow: version (bit 0), internal attributes (bit 1), external attributes
            // (bit 2).
            guard let map = reader.read(1)?.first else { return false }
            guard map & 0x80 == 0, reader.read((map & 1 == 1 ? 2 : 0) + (map & 2 == 2 ? 2 : 0)) != nil else {
                return false
            }
            if map & 4 == 4 {
                guard let attributes = reader.uint32() else { return false }
                isSpecial = isSpecial || ZipAttributes.isSpecial(mode: attributes >> 16)
            }
        default: break
        }
        return true
    }
}
