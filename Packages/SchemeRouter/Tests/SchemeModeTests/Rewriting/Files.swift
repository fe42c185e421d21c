// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading

/// A loader that responds from a table of types, texts and fields.
final class Files: ResourceLoader {
    struct File: Sendable {
        var type: String
        var text: String
        var fields: HTTPFields = [:]
        var status = HTTPResponse.Status.ok
        var isStream = false
        /// The body if it is not the text.
        var bytes: Data?
    }

    private let files: [String: File]
    private let requests = Mutex<[HTTPRequest]>([])
    var receivedRequests: [HTTPRequest] { requests.withLock { $0 } }

    init(_ files: [String: File]) {
        self.files = files
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        requests.withLock { $0.append(request.head) }
        guard let file = files[request.head.urlText] else { return nil }
        var fields = file.fields
        fields[.contentType] = file.type
        let data = file.bytes ?? Data(file.text.utf8)
        var body = ResourceBody.bytes(data)
        var status = file.status
        if request.head.headerFields[.range] != nil {
            status = .partialContent
            body = .bytes(data.prefix(4))
            fields[.contentRange] = "bytes 0-3/\(data.count)"
        }
        if file.isStream {
            let (stream, end) = AsyncThrowingStream<Data, any Error>.makeStream()
            for byte in data { end.yield(Data([byte])) }
            end.finish()
            body = .stream(ByteStream(stream, length: Int64(data.count)))
        }
        fields[.contentLength] = body.length.map { String($0) }
        return ResourceResponse(
            head: HTTPResponse(status: status, headerFields: fields), body: body,
            provenance: Provenance(.network, reason: "test"))
    }
}
