// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation

/// The response of a server to a request for its resource table.
package enum TableAnswer: Sendable, Hashable {
    /// The table has not changed: `update` is false, or `resourcemap` is missing. It does not mean an empty table.
    case unchanged
    /// The server's table, with any version.
    case table(URLTable)

    /// Decodes a response: strict JSON (RFC 8259), read in one pass.
    ///
    /// An entry that cannot be used is left out and counted, for example one whose URL is relative or malformed, or
    /// all entries for one URL if they differ. A table without a usable entry is an error, unless its map is empty.
    /// Unknown members are skipped. Duplicate members of an object are errors. `update` and `resourcemap` may be null
    /// or missing. A version may be a string or an integer. Decoding needs at most 2 ms for each thousand entries, so
    /// do not call it on the main actor.
    /// - Throws: ``TableError`` with code `badJSON`, `badTable`, `serverCode`, `tooLarge` or `tooMany`.
    package init(decoding data: Data, limits: TableLimits = .default) throws {
        self = try data.withUnsafeBytes { try TableAnswer(decoding: $0, limits: limits) }
    }

    /// Decodes a response from bytes that are not retained.
    /// - Throws: the errors of ``init(decoding:limits:)-(Data,_)``.
    package init(decoding bytes: UnsafeRawBufferPointer, limits: TableLimits = .default) throws {
        guard bytes.count <= limits.maxBytes else {
            throw TableError(.tooLarge, "the response has \(bytes.count) bytes, the limit is \(limits.maxBytes)")
        }
        var reader = TableReader(bytes, limits: limits)
        self = try reader.read()
    }
}
