// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The general purpose bits of a zip header (APPNOTE 4.4.4).
struct ZipFlags: OptionSet {
    let rawValue: UInt16

    static let encrypted = ZipFlags(rawValue: 1 << 0)
    static let descriptor = ZipFlags(rawValue: 1 << 3)
    static let patch = ZipFlags(rawValue: 1 << 5)
    static let strongEncryption = ZipFlags(rawValue: 1 << 6)
    static let utf8 = ZipFlags(rawValue: 1 << 11)
    static let maskedHeaders = ZipFlags(rawValue: 1 << 13)

    static let anyEncryption: ZipFlags = [.encrypted, .strongEncryption, .maskedHeaders]
    /// What both headers of an entry must say alike.
    static let compared: ZipFlags = [.encrypted, .descriptor, .patch, .strongEncryption, .utf8, .maskedHeaders]
}
