// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import WebSyntax

/// A navigation by POST, as older apps write it for engines that lose the body of a POST navigation: a request of the
/// scheme `post` with the header fields `oldScheme` and `bodyParam`.
@_spi(Facade) public struct PostNavigation: Sendable, Hashable {
    /// The scheme of the request of an older app.
    public static let scheme = "post"

    /// The intended request: a POST to an http or https URL.
    public let request: HTTPRequest
    /// The body of the intended request.
    public let body: Data

    /// Creates the intended request.
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
