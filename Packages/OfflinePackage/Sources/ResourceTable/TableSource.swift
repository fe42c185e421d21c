// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Who is asked for the table.
public enum TableSource: String, Sendable, Hashable, Codable {
    /// The server that makes the tables.
    case primary
    /// The copy on a CDN, asked while the server fails.
    case mirror
}
