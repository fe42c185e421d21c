// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The alphabet that identifiers and versions share.
enum PackageName {
    static func isValid(_ string: String, upTo limit: Int, allowingPlus: Bool) -> Bool {
        let bytes = string.utf8
        guard (1...limit).contains(bytes.count), bytes.first != UInt8(ascii: ".") else { return false }
        return bytes.allSatisfy { byte in
            byte.isASCIIAlphanumeric || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-") || allowingPlus && byte == UInt8(ascii: "+")
        }
    }
}
