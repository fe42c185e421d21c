// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A navigation by POST, as older apps write it for engines that lose the body of one: a request of the scheme `post` whose
/// header fields `oldScheme` and `bodyParam` say the rest.
@_spi(Facade) public struct PostNavigation: Sendable, Hashable {
    /// The scheme of such a request.
    public static let scheme = "post"

    /// The request that was meant: by POST, to a URL of http or https.
    public let request: HTTPRequest
    /// Its body.
    public let body: Data

    /// Rebuilds the request that was meant. `oldScheme` is `http` or `https`, without regard to case; `bodyParam` is the body
    /// as text, and none where it is missing, in `application/x-www-form-urlencoded` where the request has no `Content-Type`.
    /// Other header fields stay.
    /// - Returns: `nil` for other requests.
    public init?(legacy request: HTTPRequest) {
        guard request.scheme == Self.scheme, let oldScheme = HTTPField.Name("oldScheme"),
            let bodyParam = HTTPField.Name("bodyParam"),
            let scheme = request.headerFields[oldScheme]?.lowercased(), ["http", "https"].contains(scheme)
        else { return nil }
        var original = request
        original.method = .post
        original.scheme = scheme
        body = Data((request.headerFields[bodyParam] ?? "").utf8)
        original.headerFields[oldScheme] = nil
        original.headerFields[bodyParam] = nil
        if original.headerFields[.contentType] == nil {
            original.headerFields[.contentType] = "application/x-www-form-urlencoded"
        }
        self.request = original
    }
}
