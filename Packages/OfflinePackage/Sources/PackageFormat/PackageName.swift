// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The alphabet that identifiers and versions share.
enum PackageName {
    static func isValid(_ string: String, upTo limit: Int, allowingPlus: Bool) -> Bool {
        let bytes = string.utf8
        guard (1...limit).contains(bytes.count), bytes.first != UInt8(ascii: ".") else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            case UInt8(ascii: "+"): allowingPlus
            default: false
            }
        }
    }
}
