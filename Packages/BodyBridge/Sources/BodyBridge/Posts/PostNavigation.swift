// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import WebSyntax

/// A navigation with a body that the app makes.
@_spi(Facade) public struct PostNavigation: Sendable, Hashable {
    /// The scheme of the request of an older app.
    private static let scheme = "post"

    /// The request.
    public let request: HTTPRequest
    /// The body of the request.
    public let body: Data

    /// Creates a navigation.
    public init(_ request: HTTPRequest, body: Data) {
        self.request = request
        self.body = body
    }

    /// Creates the POST that an older app writes as a request of the scheme `post` with the header fields `oldScheme`
    /// and `bodyParam`, for engines that lose the body of a POST navigation.
    ///
    /// `oldScheme` is `http` or `https`, in any case. `bodyParam` is the body as text; if it is missing, the body is
    /// empty. The content type is `application/x-www-form-urlencoded` if the request has no `Content-Type`. Other
    /// header fields are unchanged.
    /// - Returns: `nil` for other requests.
    public init?(legacy request: HTTPRequest) {
        guard request.scheme == Self.scheme, let oldScheme = HTTPField.Name("oldScheme"),
            let bodyParam = HTTPField.Name("bodyParam"),
            let scheme = request.headerFields[oldScheme]?.asciiLowercased, ["http", "https"].contains(scheme)
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
