// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
@_spi(Packaging) internal import PackageFormat

/// Tells a progress bar what another reader hands out.
struct ProgressReader: ArchiveReading {
    let reader: any ArchiveReading
    let bar: ProgressBar
    /// Bytes of all files, where they are known beforehand.
    let total: Int64?

    /// A reader that shows its progress where someone watches, else `reader` itself.
    /// - Parameter total: called where someone watches.
    static func make(
        _ reader: any ArchiveReading, _ bar: ProgressBar?, total: () -> Int64?
    ) -> any ArchiveReading {
        bar.map { ProgressReader(reader: reader, bar: $0, total: total()) } ?? reader
    }

    func read(
        _ archive: String, limits: ArchiveLimits,
        visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        var done: Int64 = 0
        try reader.read(archive, limits: limits) { entry, content in
            var counting: any ArchiveEntryReading = Counting(content: content) { count in
                done += Int64(count)
                bar.update(done, of: total)
            }
            try visit(entry, &counting)
        }
    }

    private struct Counting: ArchiveEntryReading {
        var content: any ArchiveEntryReading
        let count: (Int) -> Void

        mutating func next() throws -> Data? {
            let data = try content.next()
            if let data { count(data.count) }
            return data
        }
    }
}
