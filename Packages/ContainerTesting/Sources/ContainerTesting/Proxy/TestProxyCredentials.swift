// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOHTTP1

/// The credentials that a test proxy requires.
public struct TestProxyCredentials: Sendable, Hashable {
    /// The user name, without a colon.
    public var username: String
    /// The password.
    public var password: String

    /// Creates credentials.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// The value of a `Proxy-Authorization` field with the credentials (RFC 7617, section 2).
    public var basic: String { "Basic " + Data("\(username):\(password)".utf8).base64EncodedString() }

    /// Returns a Boolean value that indicates whether a proxy request contains the credentials.
    func areIn(_ headers: HTTPHeaders) -> Bool {
        let values = headers["proxy-authorization"]
        let parts = values.first?.split(separator: " ", maxSplits: 1) ?? []
        return values.count == 1 && parts.count == 2 && parts[0].lowercased() == "basic"
            && "Basic \(parts[1])" == basic
    }
}
