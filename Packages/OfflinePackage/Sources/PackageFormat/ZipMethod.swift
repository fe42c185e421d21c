// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How an entry's bytes are held in a zip: the two methods that every reader knows (APPNOTE 4.4.5).
public enum ZipMethod: UInt16, Sendable, Hashable, CaseIterable {
    /// As they are.
    case stored = 0
    /// Raw deflate (RFC 1951).
    case deflated = 8
}
