// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

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
