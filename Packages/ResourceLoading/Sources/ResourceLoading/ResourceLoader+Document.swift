// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

extension ResourceLoader {
    /// Fetches a small document whole.
    /// - Parameters:
    ///   - url: the absolute URL.
    ///   - fields: the header fields of the request.
    ///   - limit: the most bytes of the document.
    /// - Throws: ``ResourceError`` for an answer other than 200, and for one that is too long; the errors of the loader.
    @concurrent
    public func document(at url: String, _ fields: HTTPFields = [:], upTo limit: Int) async throws -> Data {
        guard let head = HTTPRequest(urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "no URL", at: url)
        }
        guard let response = try await load(ResourceRequest(head)) else {
            throw ResourceError(.internal, "nobody answers", at: url)
        }
        guard response.head.status == .ok else {
            throw ResourceError(.invalidRequest, "HTTP status \(response.head.status.code)", at: url)
        }
        return try await response.body.collect(upTo: limit)
    }
}
