// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

/// A loader that responds from a table and records its requests.
final class Site: ResourceLoader {
    private let requests = Mutex<[(head: HTTPRequest, body: String)]>([])
    private let answers: [String: (status: Int, location: String)]
    private let fields: HTTPFields

    /// Creates a site.
    /// - Parameters:
    ///   - answers: The responses by URL; other URLs get 200. The status 0 stands for a `nil` response.
    ///   - fields: The fields of every response; by default all origins may read them.
    init(_ answers: [String: (Int, String)], fields: HTTPFields = [.accessControlAllowOrigin: "*"]) {
        self.fields = fields
        self.answers = answers.mapValues { (status: $0.0, location: $0.1) }
    }

    var receivedRequests: [HTTPRequest] { requests.withLock { $0.map(\.head) } }
    var bodies: [String] { requests.withLock { $0.map(\.body) } }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let body = try await String(decoding: request.body.collect(upTo: 2 << 20), as: UTF8.self)
        requests.withLock { $0.append((request.head, body)) }
        let answer = answers[request.head.urlText] ?? (status: 200, location: "")
        guard answer.status != 0 else { return nil }
        var fields = fields
        if !answer.location.isEmpty { fields[.location] = answer.location }
        return ResourceResponse(
            head: HTTPResponse(status: .init(code: answer.status), headerFields: fields), body: .empty,
            provenance: Provenance(.network, reason: "test"))
    }
}

/// Creates a request of a page; methods other than GET have the body `x`.
func subrequest(
    _ url: String, _ method: HTTPRequest.Method = .get, _ fields: HTTPFields = [:]
) throws -> ResourceRequest {
    ResourceRequest(
        try #require(HTTPRequest(method: method, urlText: url, headerFields: fields)),
        body: method == .get ? .empty : .bytes(Data("x".utf8)), destination: .subresource)
}
