// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The version of a package: 1 to 64 characters of `A–Z a–z 0–9 . _ - +`, the first of them no dot.
///
/// Versions are compared for equality only; which of two is newer is the publisher's word, not the text's.
public struct PackageVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``PackageError`` with code ``PackageError/Code-swift.struct/badManifest``.
    public init(_ string: String) throws {
        guard PackageName.isValid(string, upTo: 64, allowingPlus: true) else {
            throw PackageError(
                .badManifest, "a package's version is 1 to 64 of A-Z a-z 0-9 . _ - + and begins with no dot")
        }
        description = string
    }
}

extension PackageVersion: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
