// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// The requirement of an `integrity` attribute (Subresource Integrity, section 3.3): one of the digests of the
/// strongest algorithm in the attribute.
struct IntegrityMetadata: Sendable, Hashable {
    private let algorithm: IntegrityAlgorithm
    private let digests: [[UInt8]]

    /// Creates a requirement; returns `nil` if the attribute contains no known algorithm and therefore requires
    /// nothing.
    init?(_ value: String) {
        var best: IntegrityAlgorithm?
        var digests: [[UInt8]] = []
        for word in value.utf8.split(whereSeparator: \.isASCIIWhitespace) {
            let expression = word.prefix { $0 != UInt8(ascii: "?") }
            guard let dash = expression.firstIndex(of: UInt8(ascii: "-")),
                let algorithm = IntegrityAlgorithm(
                    rawValue: String(decoding: expression[..<dash].map(\.asciiLowercased), as: UTF8.self))
            else { continue }
            if let best, algorithm < best { continue }
            if best != algorithm { digests = [] }
            best = algorithm
            // An invalid digest matches no bytes.
            let text = String(decoding: expression[expression.index(after: dash)...], as: UTF8.self)
                .replacing("-", with: "+").replacing("_", with: "/")
            let digest = Data(base64Encoded: text).map { Array($0) } ?? []
            digests.append(digest.count <= 64 ? digest : [])
        }
        guard let best else { return nil }
        algorithm = best
        self.digests = digests
    }

    /// Returns a Boolean value that indicates whether the bytes satisfy the requirement.
    func matches(_ data: Data, by hashing: any IntegrityHashing) -> Bool {
        digests.contains(hashing.digest(of: data, by: algorithm))
    }
}

/// A provider of the digests for `integrity`. Clients of this module implement it, so that the module needs no
/// cryptography library.
public protocol IntegrityHashing: Sendable {
    /// Returns the digest of bytes, unencoded: 32, 48 or 64 bytes.
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8]
}

/// The algorithms of Subresource Integrity (section 3.2.1), ordered by strength.
public enum IntegrityAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha256
    case sha384
    case sha512

    public static func < (one: IntegrityAlgorithm, other: IntegrityAlgorithm) -> Bool {
        one.rawValue < other.rawValue
    }
}
