// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPSemantics
import HTTPTypes
import ResourceLoading
import Testing

/// A loader of complete files by path that records its requests.
final class Files: ResourceLoader {
    private let receivedRequests = Mutex<[HTTPRequest]>([])
    private let files: [String: ResourceResponse]

    init(_ files: [String: ResourceResponse]) {
        self.files = files
    }

    /// A file of the ten digits at `/digits`, with a strong tag.
    static func digits(_ change: (inout ResourceResponse) -> Void = { _ in }) -> Files {
        Files(["/digits": Self.file("0123456789", change)])
    }

    static func file(_ text: String, _ change: (inout ResourceResponse) -> Void = { _ in }) -> ResourceResponse {
        var response = ResourceResponse(
            head: HTTPResponse(
                status: .ok,
                headerFields: [.contentType: "text/plain;charset=utf-8", .eTag: "\"one\"", .cacheControl: "no-cache"]),
            body: .bytes(Data(text.utf8)), provenance: Provenance(.package, reason: "test"))
        change(&response)
        return response
    }

    func response(at path: String) -> ResourceResponse? { files[path] }

    var requests: [HTTPRequest] { receivedRequests.withLock { $0 } }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        receivedRequests.withLock { $0.append(request.head) }
        return find(request)
    }

    func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .known(find(request)) }

    private func find(_ request: ResourceRequest) -> ResourceResponse? {
        guard request.head.method == .get || request.head.method == .head else { return nil }
        return files[String((request.head.path ?? "").prefix { $0 != "?" })]
    }

    /// Returns the response of a `SemanticsLoader`; an immediate response must be equal to it.
    func get(
        _ fields: HTTPFields = [:], _ method: HTTPRequest.Method = .get, path: String = "/digits",
        change: (inout SemanticsLoader.Options) -> Void = { _ in }
    ) async throws -> ResourceResponse? {
        var options = SemanticsLoader.Options()
        change(&options)
        let head = try #require(
            HTTPRequest(method: method, urlText: "https://shop.example" + path, headerFields: fields))
        let loader = SemanticsLoader(self, options: options) { "BOUNDARY" }
        let answer = try await loader.load(ResourceRequest(head))
        if case .known(let immediate) = loader.immediateResponse(to: ResourceRequest(head)) {
            #expect(immediate?.head == answer?.head && immediate?.provenance == answer?.provenance)
            #expect(immediate?.body.length == answer?.body.length)
        } else {
            let isSimple = method == .get || method == .head
            #expect(!isSimple || options.addsHTMLExtension || options.redirectsToFolders)
        }
        return answer
    }
}

extension ResourceResponse {
    /// The complete body.
    var text: String {
        get async throws { String(decoding: try await body.collect(upTo: 1 << 20), as: UTF8.self) }
    }

    func field(_ name: HTTPField.Name) -> String? { head.headerFields[name] }
}
