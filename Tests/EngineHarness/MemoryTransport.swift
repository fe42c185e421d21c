// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// A network in memory.
struct MemoryTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = []
    let answer: @Sendable (HTTPRequest) async throws -> TransportResponse

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await answer(request)
    }
}

extension TransportResponse {
    /// Returns a document that every origin may read.
    static func page(_ text: String, type: String = "text/html") -> TransportResponse {
        TransportResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: type, .accessControlAllowOrigin: "*"]),
            body: .bytes(Data(text.utf8)))
    }
}
