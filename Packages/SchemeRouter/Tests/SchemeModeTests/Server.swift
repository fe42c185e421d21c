// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import HTTPTypes
import ResourceLoading

/// A loader that computes its responses and records its requests.
final class Server: ResourceLoader {
    private let requests = Mutex<[HTTPRequest]>([])
    private let answer: @Sendable (HTTPRequest) -> HTTPResponse

    init(_ answer: @escaping @Sendable (HTTPRequest) -> HTTPResponse) {
        self.answer = answer
    }

    var receivedRequests: [HTTPRequest] { requests.withLock { $0 } }
    var methods: [HTTPRequest.Method] { receivedRequests.map(\.method) }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        requests.withLock { $0.append(request.head) }
        return ResourceResponse(
            head: answer(request.head), body: .empty, provenance: Provenance(.network, reason: "test"))
    }
}
