// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import SchemeMode

/// Computes the digests of `integrity` attributes for SchemeMode, which does not depend on a cryptographic library.
struct IntegrityDigests: IntegrityHashing {
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8] {
        switch algorithm {
        case .sha256: SHA256Digest(of: data).bytes
        case .sha384: LongDigest.sha384(of: data)
        case .sha512: LongDigest.sha512(of: data)
        }
    }
}
