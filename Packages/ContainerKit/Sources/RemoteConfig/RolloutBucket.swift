// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import SystemSupport
internal import WebSyntax

/// The stable identity of a device, which determines the partial roll-outs that include the device.
///
/// The identity is random, of 16 bytes, written as 32 hexadecimal digits. It is created when a container with remote
/// config is first opened in a folder. It is stored there and never sent. The number of a device for a salt is the
/// remainder modulo 1,000 of a 64-bit number. This number is the first 8 bytes, big-endian, of the SHA-256 of the salt,
/// a line feed and the identity. Each feature has its own salt, so that roll-outs select different devices.
public struct RolloutBucket: Sendable, Hashable {
    /// The identity: 32 lower-case hexadecimal digits.
    public let identity: String

    /// Creates the bucket of a known device; returns `nil` if the identity is invalid.
    /// - Parameter identity: 32 lower-case hexadecimal digits.
    public init?(identity: String) {
        guard identity.utf8.count == 32, identity.utf8.allSatisfy(\.isLowercaseHexDigit) else {
            return nil
        }
        self.identity = identity
    }

    /// Creates the bucket of a new device.
    public init() {
        identity = RandomToken.hex(byteCount: 16)
    }

    /// Returns the default salt of a feature: `containerkit.` and the name of the feature.
    /// - Parameter feature: the feature.
    public static func salt(of feature: RemoteConfigFeature) -> String {
        "containerkit.\(feature.rawValue)"
    }

    /// Returns the number of the device for a salt, 0 to 999.
    /// - Parameter salt: the salt of the roll-out.
    public func number(salt: String) -> Int {
        let digest = SHA256Digest(of: Data("\(salt)\n\(identity)".utf8))
        let number = digest.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int(number % 1_000)
    }
}
