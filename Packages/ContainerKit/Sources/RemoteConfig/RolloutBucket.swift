// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import SystemSupport
internal import WebSyntax

/// The stable number of a device, by which features are rolled out to some of them.
///
/// A device has a random identity of 16 bytes, written as 32 hexadecimal digits, that is made when a container with a
/// remote config is first opened on its folder, kept there, and sent nowhere. Its number for a salt is the first 8
/// bytes, big-endian, of the SHA-256 of the salt, a line feed and the identity, modulo 1,000. Each feature has a salt
/// of its own, so that it is not the same devices each time.
public struct RolloutBucket: Sendable, Hashable {
    /// 32 digits, lower-case.
    public let identity: String

    /// - Parameter identity: `nil` results where it is not 32 lower-case hexadecimal digits.
    public init?(identity: String) {
        guard identity.utf8.count == 32, identity.utf8.allSatisfy(\.isLowercaseHexDigit) else {
            return nil
        }
        self.identity = identity
    }

    /// A new device.
    public init() {
        identity = RandomToken.hex(byteCount: 16)
    }

    /// The salt of a feature whose document has none: `containerkit.` and its name.
    public static func salt(of feature: RemoteConfigFeature) -> String {
        "containerkit.\(feature.rawValue)"
    }

    /// 0 to 999.
    public func number(salt: String) -> Int {
        let digest = SHA256Digest(of: Data("\(salt)\n\(identity)".utf8))
        let number = digest.bytes.prefix(8).reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
        return Int(number % 1_000)
    }
}
