// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The zip64 end of central directory record and its locator (APPNOTE 4.3.14, 4.3.15).
struct Zip64EndRecord {
    /// The offset of the record in the archive.
    let position: Int64
    let entryCount: UInt64
    let directorySize: UInt64
    let directoryOffset: UInt64

    private static let locatorLength: Int64 = 20
    private static let minimumLength: Int64 = 56

    /// Reads the record whose locator directly precedes the end of central directory record.
    /// - Returns: `nil` if there is no locator.
    init?(before end: Int64, of source: some RandomAccessReading) throws {
        let locatorPosition = end - Self.locatorLength
        guard locatorPosition >= 0 else { return nil }
        let locator = try source.bytes(at: locatorPosition, count: Int(Self.locatorLength))
        guard locator.starts(with: ZipSignature.zip64Locator) else { return nil }
        var fields = LittleEndian(locator.dropFirst(4))
        guard let disk = fields.uint32(), let offset = fields.uint64(), let disks = fields.uint32() else { return nil }
        guard disk == 0, disks <= 1 else {
            throw PackageError(.unsupported, "multi-part archives are not supported", at: source.location)
        }
        guard let position = Int64(exactly: offset), position <= locatorPosition - Self.minimumLength else {
            throw PackageError(
                .damaged, "the zip64 end record is not at the position of its locator", at: source.location)
        }
        let record = try source.bytes(at: position, count: Int(Self.minimumLength))
        guard record.starts(with: ZipSignature.zip64End) else {
            throw PackageError(.damaged, "the zip64 end record has no signature", at: source.location)
        }
        var body = LittleEndian(record.dropFirst(4))
        guard let length = body.uint64(), body.read(4) != nil, let ownDisk = body.uint32(),
            let directoryDisk = body.uint32(), let countHere = body.uint64(), let count = body.uint64(),
            let size = body.uint64(), let directoryOffset = body.uint64()
        else { throw PackageError(.truncated, "the zip64 end record is truncated", at: source.location) }
        // The length excludes the first 12 bytes. The record must extend to its locator.
        guard length == UInt64(locatorPosition - position - 12) else {
            throw PackageError(.damaged, "the zip64 end record has a wrong length", at: source.location)
        }
        guard ownDisk == 0, directoryDisk == 0, countHere == count else {
            throw PackageError(.unsupported, "multi-part archives are not supported", at: source.location)
        }
        self.position = position
        entryCount = count
        directorySize = size
        self.directoryOffset = directoryOffset
    }
}
