// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOHTTP1

/// What a proxy of this room wants to hear before it serves.
public struct TestProxyCredentials: Sendable, Hashable {
    /// The user's name, without a colon.
    public var username: String
    /// The user's password.
    public var password: String

    /// Takes both as they are.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// The value of the field that brings them (RFC 7617, section 2).
    public var basic: String { "Basic " + Data("\(username):\(password)".utf8).base64EncodedString() }

    /// Whether a request for a proxy brings them.
    func areIn(_ headers: HTTPHeaders) -> Bool {
        let values = headers["proxy-authorization"]
        let parts = values.first?.split(separator: " ", maxSplits: 1) ?? []
        return values.count == 1 && parts.count == 2 && parts[0].lowercased() == "basic"
            && "Basic \(parts[1])" == basic
    }
}
