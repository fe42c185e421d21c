// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The version of a package: 1 to 64 characters of `A–Z a–z 0–9 . _ - +`, of which the first is not a dot.
///
/// Versions are compared only for equality. The publisher, not the text, determines which of two versions is newer.
public struct PackageVersion: Sendable, Hashable, CustomStringConvertible {
    /// The version as text.
    public let description: String

    /// Creates a version.
    /// - Throws: ``PackageError`` with code `badManifest`.
    public init(_ string: String) throws {
        guard PackageName.isValid(string, upTo: 64, allowingPlus: true) else {
            throw PackageError(
                .badManifest, "a package version is 1 to 64 of A-Z a-z 0-9 . _ - + and must not begin with a dot")
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

/// A comparable version of the host: numbers separated by dots, where a missing number is 0.
@_spi(Packaging) public struct HostVersion: Sendable, Comparable {
    private let numbers: [Int]

    /// Creates a version, or returns `nil` if a component is not a number of at most nine digits.
    public init?(_ text: String) {
        var numbers: [Int] = []
        for part in text.split(separator: ".", omittingEmptySubsequences: false) {
            guard (1...9).contains(part.utf8.count), part.utf8.allSatisfy(\.isASCIIDigit),
                let number = Int(part)
            else { return nil }
            numbers.append(number)
        }
        while numbers.last == 0 { numbers.removeLast() }
        self.numbers = numbers
    }

    /// Returns a Boolean value that indicates whether a host satisfies a package's minimum version.
    /// - Parameters:
    ///   - least: the minimum version of the package, or `nil` if every host is allowed.
    ///   - host: the host's version. If it is `nil` or not numeric, only packages without a minimum version are
    ///     allowed.
    public static func allows(_ least: PackageVersion?, in host: PackageVersion?) -> Bool {
        guard let least else { return true }
        guard let least = HostVersion(least.description), let host = host.flatMap({ HostVersion($0.description) })
        else { return false }
        return host >= least
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
