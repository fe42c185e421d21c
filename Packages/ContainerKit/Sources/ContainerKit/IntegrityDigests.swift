// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Crypto
internal import SchemeMode

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The digests of `integrity`, for SchemeMode, which is free of a library for them.
struct IntegrityDigests: IntegrityHashing {
    func digest(of data: Data, by algorithm: IntegrityAlgorithm) -> [UInt8] {
        switch algorithm {
        case .sha256: Array(SHA256.hash(data: data))
        case .sha384: Array(SHA384.hash(data: data))
        case .sha512: Array(SHA512.hash(data: data))
        }
    }
}
