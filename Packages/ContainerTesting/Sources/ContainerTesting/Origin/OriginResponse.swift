// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// An answer that a test gives in an origin's name.
public struct OriginResponse: Sendable {
    /// The bytes of an answer.
    public enum Body: Sendable {
        /// All of the body.
        case bytes(Data)
        /// Written piece by piece. With a length the writer must write exactly so many bytes; without
        /// one the answer is chunked. Throwing breaks the connection off.
        case stream(length: Int?, @Sendable (inout OriginBodyWriter) async throws -> Void)
    }

    /// The status.
    public var status: HTTPResponse.Status
    /// What goes into the answer beside what the server adds.
    public var headers: HTTPFields
    /// The body; the server leaves it out of an answer to `HEAD`.
    public var body: Body

    /// Makes an answer: by default 200, without a body.
    public init(_ status: HTTPResponse.Status = .ok, headers: HTTPFields = [:], body: Body = .bytes(Data())) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// Text, as `text/plain` in UTF-8 unless `type` says otherwise.
    public static func text(
        _ text: String, status: HTTPResponse.Status = .ok, type: String = "text/plain; charset=utf-8"
    ) -> OriginResponse {
        OriginResponse(status, headers: [.contentType: type], body: .bytes(Data(text.utf8)))
    }
}
