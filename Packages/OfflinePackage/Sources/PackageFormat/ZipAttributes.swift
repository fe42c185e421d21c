// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The external attributes of a zip entry (APPNOTE 4.4.15): the Unix mode above, the DOS attributes below.
struct ZipAttributes {
    let rawValue: UInt32

    /// A link, device, socket or pipe. The mode is read whatever system the header names, as lenient readers do.
    var isSpecial: Bool { Self.isSpecial(mode: rawValue >> 16) }

    /// Says of itself that it is a folder.
    var isFolder: Bool { rawValue >> 16 & 0o170000 == 0o040000 || rawValue & 0x10 != 0 }

    /// Says of itself that it is a file.
    var isFile: Bool { rawValue >> 16 & 0o170000 == 0o100000 }

    static func isSpecial(mode: UInt32) -> Bool {
        switch mode & 0o170000 {
        case 0o120000, 0o060000, 0o020000, 0o010000, 0o140000: true
        default: false
        }
    }
}
