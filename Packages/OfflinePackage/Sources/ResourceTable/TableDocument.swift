// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What a table library keeps beside its files.
public enum TableDocument: String, Sendable, Hashable, CaseIterable {
    /// The answer that brought the local table, byte for byte. Up to ``TableLimits/maxBytes``.
    case table
    /// The state of the update policy. Some hundred bytes.
    case check
    /// Which files are still to be downloaded. Some bytes for each.
    case pending
}
