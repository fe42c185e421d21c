// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The data format that surrounds deflated data (RFC 1951).
public enum ZlibFormat: Sendable {
    /// Nothing.
    case raw
    /// The header and trailer of zlib (RFC 1950).
    case zlib
    /// The header and trailer of gzip (RFC 1952); zlib checks the trailer's checksum and length.
    case gzip

    /// The window bits by which zlib selects the format.
    var windowBits: CInt {
        switch self {
        case .raw: -15
        case .zlib: 15
        case .gzip: 31
        }
    }
}
