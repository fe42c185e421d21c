// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOHTTP1
internal import SystemSupport

/// What the engine says to its proxy, so that nobody else is served (RFC 1929, RFC 7617). Made anew for each launch, in memory only.
public struct ProxyCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The same for all launches.
    public let username: String
    /// 256 bits of the system's randomness.
    public let password: String
    private let field: [UInt8]

    /// Makes new ones.
    public init() {
        username = "container"
        password = RandomToken.hex(byteCount: 32)
        field = Array(Data("\(username):\(password)".utf8).base64EncodedString().utf8)
    }

    /// Whether the value of a `Proxy-Authorization` field is these. Takes as long wherever the first difference is.
    func match(_ value: String) -> Bool {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "basic" else { return false }
        return RandomToken.isEqual(parts[1].utf8, field)
    }

    /// Whether a request says them. Twice is not once: a reader after us might take the other one.
    func areSaid(by headers: HTTPHeaders) -> Bool {
        let fields = headers["proxy-authorization"]
        return fields.count == 1 && match(fields[0])
    }

    /// Whether a name and a password are these (RFC 1929).
    func match(username: some Collection<UInt8>, password: some Collection<UInt8>) -> Bool {
        let isName = RandomToken.isEqual(username, self.username.utf8)
        let isPassword = RandomToken.isEqual(password, self.password.utf8)
        return isName && isPassword
    }

    /// Without the password.
    public var description: String { "credentials of \(username)" }
    /// Without the password.
    public var debugDescription: String { description }
    /// Without the password.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
