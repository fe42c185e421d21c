// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTransport
import HTTPTypes
import ResourceLoading
import Synchronization

/// A network that answers every request with its URL, and notes it.
final class FakeNetwork: HTTPTransporting {
    let requests = Mutex<[HTTPRequest]>([])
    let capabilities: TransportCapabilities = []

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        requests.withLock { $0.append(request) }
        if request.path == "/endless" {
            for await _ in AsyncStream<Void>.makeStream().stream {}
            try Task.checkCancellation()
        }
        return TransportResponse(
            head: HTTPResponse(status: .ok), body: .bytes(Data("network \(request.urlText)".utf8)))
    }
}
