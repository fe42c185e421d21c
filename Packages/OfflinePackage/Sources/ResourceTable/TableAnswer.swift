// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

/// What a server says when it is asked for its resource table.
public enum TableAnswer: Sendable, Hashable {
    /// Nothing is to change: `update` is false, or there is no `resourcemap`. Never to be read as an empty table.
    case unchanged
    /// The server's table, whatever its version.
    case table(URLTable)

    /// Decodes an answer: strict JSON (RFC 8259), read once from front to back.
    ///
    /// All or nothing: one entry that makes no sense refuses the table. Members that are not known are skipped. A
    /// member that occurs twice in an object is refused, and so are two entries for one URL that differ. `update` and
    /// `resourcemap` may be null or missing. A version may be a text or an integer. Computes for about 2 ms for each
    /// thousand entries at worst, so call it away from the main actor.
    /// - Throws: ``TableError`` with code `badJSON`,
    ///   `badTable`, `serverCode`,
    ///   `tooLarge` or `tooMany`.
    public init(decoding data: Data, limits: TableLimits = .default) throws {
        self = try data.withUnsafeBytes { try TableAnswer(decoding: $0, limits: limits) }
    }

    /// Decodes an answer from bytes that stay where they are; nothing of them is kept.
    /// - Throws: as ``init(decoding:limits:)-(Data,_)``.
    public init(decoding bytes: UnsafeRawBufferPointer, limits: TableLimits = .default) throws {
        guard bytes.count <= limits.maxBytes else {
            throw TableError(.tooLarge, "answer of \(bytes.count) bytes, limit \(limits.maxBytes)")
        }
        var reader = TableReader(bytes, limits: limits)
        self = try reader.read()
    }
}
