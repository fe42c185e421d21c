// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading

/// A network with configured responses that records its requests.
final class FakeNetwork: ResourceLoader {
    enum Answer: Sendable {
        case bytes(Data, HTTPFields = [:])
        case status(Int)
        case error(ResourceError.Code)
        case nobody
        /// A response that is returned when the gate opens.
        case gated(Gate, Data)
    }

    private let state = Mutex((answers: [String: Answer](), requestedURLs: [String](), open: 0, mostOpen: 0))
    /// The requested URLs of background transfers, in order.
    let backgroundURLs = Mutex<[String]>([])

    /// The requested URLs, in order.
    var requestedURLs: [String] { state.withLock { $0.requestedURLs } }
    /// The maximum number of concurrent requests.
    var mostOpen: Int { state.withLock { $0.mostOpen } }

    subscript(url: String) -> Answer? {
        get { state.withLock { $0.answers[url] } }
        set { state.withLock { $0.answers[url] = newValue } }
    }

    func removeRequests() { state.withLock { $0.requestedURLs = [] } }

    /// Configures responses for the files of a table.
    func serve(_ maker: TableMaker) {
        for item in maker.items { self[item.key] = .bytes(item.bytes) }
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let url = request.head.urlText
        if BackgroundTransfer.isCurrent { backgroundURLs.withLock { $0.append(url) } }
        let answer = state.withLock { state in
            state.requestedURLs.append(url)
            state.open += 1
            state.mostOpen = max(state.mostOpen, state.open)
            return state.answers[url] ?? .status(404)
        }
        defer { state.withLock { $0.open -= 1 } }
        switch answer {
        case .bytes(let data, let fields): return Self.response(200, data, fields)
        case .status(let status): return Self.response(status, Data("<html>".utf8), [:])
        case .error(let code): throw ResourceError(code, "configured to fail", at: url)
        case .nobody: return nil
        case .gated(let gate, let data):
            try await gate.wait()
            return Self.response(200, data, [:])
        }
    }

    private static func response(_ status: Int, _ data: Data, _ fields: HTTPFields) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: fields), body: .bytes(data),
            provenance: Provenance(.network, reason: "test"))
    }
}
