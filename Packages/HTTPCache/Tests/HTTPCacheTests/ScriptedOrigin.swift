// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading

@testable import HTTPCache

/// A loader whose responses a test defines.
final class ScriptedOrigin: ResourceLoader {
    typealias Answer = @Sendable (ResourceRequest, _ number: Int) async throws -> ResourceResponse?

    private let requests = Mutex<[ResourceRequest]>([])
    private let answer: Answer

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    /// Creates an origin that sends the same fields and text for every request.
    convenience init(_ fields: HTTPFields, _ text: String = "hello", status: HTTPResponse.Status = .ok) {
        self.init { _, _ in Self.response(fields, text, status: status) }
    }

    /// All requests so far.
    var seen: [HTTPRequest] { requests.withLock { $0.map(\.head) } }
    var count: Int { requests.withLock(\.count) }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let number = requests.withLock { requests in
            requests.append(request)
            return requests.count
        }
        return try await answer(request, number)
    }

    static func response(
        _ fields: HTTPFields, _ text: String = "hello", status: HTTPResponse.Status = .ok
    ) -> ResourceResponse {
        var fields = fields
        if !fields.contains(.contentLength), status != .notModified { fields[.contentLength] = String(text.utf8.count) }
        return ResourceResponse(
            head: HTTPResponse(status: status, headerFields: fields),
            body: text.isEmpty ? .empty : .stream(ByteStream(Pieces(Data(text.utf8)), length: Int64(text.utf8.count))),
            provenance: Provenance(.network, reason: "the origin"))
    }
}

extension ResourceRequest {
    static func get(
        _ url: String = "https://a.test/x", _ fields: HTTPFields = [:], method: HTTPRequest.Method = .get,
        page: String? = nil
    ) throws -> ResourceRequest {
        guard let head = HTTPRequest(method: method, urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "no URL", at: url)
        }
        let attribution = page.map {
            PageAttribution(PageReference(id: PageID(rawValue: 1), documentURL: $0), confidence: .exact)
        }
        return ResourceRequest(head, page: attribution)
    }
}

extension CachingLoader {
    /// Loads a request and reads the whole body.
    func text(_ request: ResourceRequest) async throws -> (text: String, response: ResourceResponse) {
        guard let response = try await load(request) else { throw ResourceError(.internal, "no response") }
        return (String(decoding: try await response.body.collect(upTo: 1 << 24), as: UTF8.self), response)
    }
}
