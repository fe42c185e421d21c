// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The identifier of a package: 1 to 128 characters of `A–Z a–z 0–9 . _ -`, of which the first is not a dot.
///
/// The alphabet is safe in a file name, in a URL's path and in a log line.
public struct PackageID: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The identifier as text.
    public let description: String

    /// Creates an identifier.
    /// - Throws: ``PackageError`` with code `badManifest`.
    public init(_ string: String) throws {
        guard PackageName.isValid(string, upTo: 128, allowingPlus: false) else {
            throw PackageError(
                .badManifest, "a package id is 1 to 128 of A-Z a-z 0-9 . _ - and must not begin with a dot")
        }
        description = string
    }

    public static func < (left: Self, right: Self) -> Bool { left.description < right.description }
}

extension PackageID: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// The common alphabet of identifiers and versions.
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
