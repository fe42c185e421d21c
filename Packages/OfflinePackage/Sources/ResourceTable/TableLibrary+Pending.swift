// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension TableLibrary {
    /// The document ``TableDocument/pending``.
    struct Pending: Codable {
        /// The version of the table that the places belong to.
        var version: String
        /// Places of entries in the table.
        var places: [Int]

        private enum CodingKeys: String, CodingKey {
            case version, places
        }

        /// The entries of a table that are still to be fetched; none where it is another table.
        func entries(of table: URLTable) -> [TableEntry] {
            guard version == table.version else { return [] }
            return places.filter(table.entries.indices.contains).map { table.entries[$0] }
        }
    }
}
