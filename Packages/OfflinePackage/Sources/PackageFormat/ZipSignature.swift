// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The four bytes that begin each structure of a zip.
enum ZipSignature {
    static let local: [UInt8] = [0x50, 0x4B, 3, 4]
    static let central: [UInt8] = [0x50, 0x4B, 1, 2]
    static let end: [UInt8] = [0x50, 0x4B, 5, 6]
    static let zip64End: [UInt8] = [0x50, 0x4B, 6, 6]
    static let zip64Locator: [UInt8] = [0x50, 0x4B, 6, 7]
    static let descriptor: [UInt8] = [0x50, 0x4B, 7, 8]
}
