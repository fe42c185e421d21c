// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// What an `integrity` attribute demands (Subresource Integrity, section 3.3): one of the digests of the strongest algorithm
/// that it names.
struct IntegrityMetadata: Sendable, Hashable {
    private let algorithm: IntegrityAlgorithm
    private let digests: [[UInt8]]

    /// `nil` where it names no digest that is known, and so demands nothing.
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
            // A digest that cannot be read is one that nothing has.
            let text = String(decoding: expression[expression.index(after: dash)...], as: UTF8.self)
                .replacing("-", with: "+").replacing("_", with: "/")
            let digest = Data(base64Encoded: text).map { Array($0) } ?? []
            digests.append(digest.count <= 64 ? digest : [])
        }
        guard let best else { return nil }
        algorithm = best
        self.digests = digests
    }

    /// Whether these bytes are what is demanded.
    func matches(_ data: Data, by hashing: any IntegrityHashing) -> Bool {
        digests.contains(hashing.digest(of: data, by: algorithm))
    }
}

/// The digests that `integrity` may name. A host of this module brings them, so that it needs no library for them.
public protocol IntegrityHashing: Sendable {
    /// The digest of bytes, as it is: 32, 48 or 64 bytes.
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8]
}

/// The algorithms of Subresource Integrity (section 3.2.1), the stronger the greater.
public enum IntegrityAlgorithm: String, Sendable, Hashable, CaseIterable, Comparable {
    case sha256
    case sha384
    case sha512

    public static func < (one: IntegrityAlgorithm, other: IntegrityAlgorithm) -> Bool {
        one.rawValue < other.rawValue
    }
}
