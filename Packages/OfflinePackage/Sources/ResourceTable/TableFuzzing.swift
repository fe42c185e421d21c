// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The entry points of the fuzz targets.
@_spi(Fuzzing) public enum TableFuzzing {
    /// Decodes arbitrary bytes and checks the invariants of the resulting table.
    /// - Returns: `true` if all invariants hold or the bytes are rejected.
    public static func readerHolds(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard case .table(let table)? = try? TableAnswer(decoding: bytes) else { return true }
        let empty = URLTable(version: "", entries: [], index: [:])
        let removal = TableDiff(from: table, to: empty)
        return TableDiff(from: table, to: table).isEmpty
            && TableDiff(from: nil, to: table).added == table.entries
            && removal.removed == table.entries && Set(removal.unreferenced) == Set(table.entries.map(\.download))
            && table.entries.allSatisfy { entry in
                // Normalization is idempotent.
                table.entry(answering: entry.url.description + "#f") == entry
                    && entry.url.description.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F }
                    && TableURL(entry.download.description) == entry.download
            }
    }
}
