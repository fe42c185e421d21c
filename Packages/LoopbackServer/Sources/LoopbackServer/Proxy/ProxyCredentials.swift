// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOHTTP1
internal import SystemSupport
internal import WebSyntax

/// The credentials of the engine for its proxy (RFC 1929, RFC 7617). They are new for each launch and exist only in
/// memory.
public struct ProxyCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The user name, the same for all launches.
    public let username: String
    /// The password: 256 bits from the system's random number generator.
    public let password: String
    private let field: [UInt8]

    /// Creates new credentials.
    public init() {
        username = "container"
        password = RandomToken.hex(byteCount: 32)
        field = Array(Data("\(username):\(password)".utf8).base64EncodedString().utf8)
    }

    /// Returns a Boolean value that indicates whether the value of a `Proxy-Authorization` field matches, in constant
    /// time.
    func match(_ value: String) -> Bool {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].asciiLowercased == "basic" else { return false }
        return RandomToken.isEqual(parts[1].utf8, field)
    }

    /// Returns a Boolean value that indicates whether a request contains the credentials in its only
    /// `Proxy-Authorization` field.
    func areContained(in headers: HTTPHeaders) -> Bool {
        let fields = headers["proxy-authorization"]
        return fields.count == 1 && match(fields[0])
    }

    /// Returns a Boolean value that indicates whether a user name and a password match (RFC 1929), in constant time.
    func match(username: some Collection<UInt8>, password: some Collection<UInt8>) -> Bool {
        let isName = RandomToken.isEqual(username, self.username.utf8)
        let isPassword = RandomToken.isEqual(password, self.password.utf8)
        return isName && isPassword
    }

    /// A description without the password.
    public var description: String { "credentials of \(username)" }
    /// A description without the password.
    public var debugDescription: String { description }
    /// A mirror without the password.
    public var customMirror: Mirror { Mirror(self, children: ["username": username]) }
}
