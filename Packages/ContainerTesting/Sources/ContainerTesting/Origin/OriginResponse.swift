// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A response of a route.
public struct OriginResponse: Sendable {
    /// The body of a response.
    public enum Body: Sendable {
        /// The complete body.
        case bytes(Data)
        /// A body that is written in chunks. With a length, the writer must write exactly that number of bytes;
        /// without one, the response is chunked. Throwing breaks the connection.
        case stream(length: Int?, @Sendable (inout OriginBodyWriter) async throws -> Void)
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// The header fields, in addition to those of the server.
    public var headers: HTTPFields
    /// The body. The server omits it in a response to `HEAD`.
    public var body: Body

    /// Creates a response, by default with status 200 and an empty body.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .bytes(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Returns a text response, by default with type `text/plain` in UTF-8.
    public static func text(
        _ text: String, status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8"
    ) -> OriginResponse {
        OriginResponse(status, headers: [.contentType: type], body: .bytes(Data(text.utf8)))
    }
}
