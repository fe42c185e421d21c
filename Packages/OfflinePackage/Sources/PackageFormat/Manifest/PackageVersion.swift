// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The version of a package: 1 to 64 characters of `A–Z a–z 0–9 . _ - +`, the first of them no dot.
///
/// Versions are compared for equality only; which of two is newer is the publisher's word, not the text's.
public struct PackageVersion: Sendable, Hashable, CustomStringConvertible {
    public let description: String

    /// - Throws: ``PackageError`` with code `badManifest`.
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

/// Compares versions of the host, which are numbers between dots: a missing one is zero, and what is no number makes
/// two versions incomparable.
package struct HostVersion: Sendable, Comparable {
    private let numbers: [Int]

    package init?(_ text: String) {
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

    /// Whether a host may have a package.
    /// - Parameters:
    ///   - least: what the package asks for; `nil` where any host will do.
    ///   - host: the host's own version; `nil`, or one that is no number, is too old for every package that asks.
    package static func allows(_ least: PackageVersion?, in host: PackageVersion?) -> Bool {
        guard let least else { return true }
        guard let least = HostVersion(least.description), let host = host.flatMap({ HostVersion($0.description) })
        else { return false }
        return host >= least
    }

    package static func < (left: Self, right: Self) -> Bool {
        left.numbers.lexicographicallyPrecedes(right.numbers)
    }
}
