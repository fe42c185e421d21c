// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The end of central directory record and its zip64 form (APPNOTE 4.3.14 to 4.3.16).
struct ZipEndRecord {
    let entryCount: UInt64
    let directorySize: Int64
    let directoryOffset: Int64

    private static let length = 22

    /// Reads the record at the end of the file.
    init(of source: some RandomAccessReading) throws {
        let (end, position) = try Self.find(in: source)
        var fields = LittleEndian(end.dropFirst(4))
        guard let disk = fields.uint16(), let directoryDisk = fields.uint16(), let countHere = fields.uint16(),
            let count = fields.uint16(), let size = fields.uint32(), let offset = fields.uint32()
        else { throw PackageError(.truncated, "the end of central directory is truncated", at: source.location) }

        var directoryEnd = position
        if let wide = try Zip64EndRecord(before: position, of: source) {
            // A reader that ignores the zip64 record must see the same archive.
            guard Self.agrees(UInt64(disk), with: 0, saturated: 0xFFFF),
                Self.agrees(UInt64(directoryDisk), with: 0, saturated: 0xFFFF),
                Self.agrees(UInt64(countHere), with: wide.entryCount, saturated: 0xFFFF),
                Self.agrees(UInt64(count), with: wide.entryCount, saturated: 0xFFFF),
                Self.agrees(UInt64(size), with: wide.directorySize, saturated: 0xFFFF_FFFF),
                Self.agrees(UInt64(offset), with: wide.directoryOffset, saturated: 0xFFFF_FFFF)
            else {
                throw PackageError(
                    .headerMismatch, "the zip64 end record differs from the end record", at: source.location)
            }
            directoryEnd = wide.position
            entryCount = wide.entryCount
            guard let wideSize = Int64(exactly: wide.directorySize),
                let wideOffset = Int64(exactly: wide.directoryOffset)
            else {
                throw PackageError(.damaged, "the size of the central directory is out of range", at: source.location)
            }
            directorySize = wideSize
            directoryOffset = wideOffset
        } else {
            guard disk == 0, directoryDisk == 0, countHere == count else {
                throw PackageError(.unsupported, "multi-part archives are not supported", at: source.location)
            }
            guard size != 0xFFFF_FFFF, offset != 0xFFFF_FFFF else {
                throw PackageError(.damaged, "the zip64 end record is missing", at: source.location)
            }
            entryCount = UInt64(count)
            directorySize = Int64(size)
            directoryOffset = Int64(offset)
        }
        // The directory must directly precede its end record, so that every reader finds the same directory.
        let (sum, overflow) = directoryOffset.addingReportingOverflow(directorySize)
        guard !overflow, sum == directoryEnd else {
            throw PackageError(
                .damaged,
                "central directory of \(directorySize) bytes at \(directoryOffset) does not end at its end record",
                at: source.location)
        }
    }

    private static func find(in source: some RandomAccessReading) throws -> (record: ArraySlice<UInt8>, at: Int64) {
        let tailLength = min(source.size, Int64(length + 0xFFFF))
        let start = source.size - tailLength
        let tail = try source.bytes(at: start, count: Int(tailLength))
        var index = tail.count - length
        while index >= 0 {
            if tail[index...].starts(with: ZipSignature.end) {
                let comment = Int(tail[index + 20]) | Int(tail[index + 21]) << 8
                guard comment == tail.count - index - length else {
                    throw PackageError(
                        .damaged,
                        "the comment has \(tail.count - index - length) bytes, the end record declares \(comment)",
                        at: source.location)
                }
                return (tail[index..<(index + length)], start + Int64(index))
            }
            index -= 1
        }
        throw PackageError(.truncated, "the end of central directory is missing", at: source.location)
    }

    private static func agrees(_ narrow: UInt64, with wide: UInt64, saturated: UInt64) -> Bool {
        narrow == saturated || narrow == wide
    }
}
