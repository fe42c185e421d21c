// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
@_spi(Packaging) internal import PackageFormat

/// An archive reader that reports the bytes of another reader to a progress bar.
struct ProgressReader: ArchiveReading {
    let reader: any ArchiveReading
    let bar: ProgressBar
    /// The total size of all files in bytes, if known.
    let total: Int64?

    /// Returns a reader that reports progress, or `reader` if there is no progress bar.
    /// - Parameter total: A closure that returns the total size. It is called only if there is a progress bar.
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
