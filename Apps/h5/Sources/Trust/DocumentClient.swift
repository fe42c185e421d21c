// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import NIOTransport
internal import ResourceLoading

/// A client that fetches documents of limited size from servers that may be hostile. It follows no redirects.
struct DocumentClient: Sendable {
    /// The lowest rate of a document in bytes a second, after a minute.
    private static let minimumRate = 1_024

    private let transport: AsyncHTTPTransport

    /// Calls `body` with a client, and closes its connections at the end.
    static func with<Value>(_ body: (DocumentClient) async throws -> Value) async throws -> Value {
        var settings = AsyncHTTPTransport.Configuration()
        settings.readTimeout = .seconds(30)
        let transport = AsyncHTTPTransport(settings)
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(DocumentClient(transport: transport)))
        } catch {
            result = .failure(error)
        }
        try? await transport.shutDown()
        return try result.get()
    }

    /// Fetches a document by GET.
    /// - Parameters:
    ///   - url: The absolute URL.
    ///   - limit: The expected maximum size in bytes.
    /// - Returns: At most `limit` + 1 bytes of the document, or `nil` for status 403 or 404.
    /// - Throws: ``CommandError`` with ``ExitStatus/unavailable`` for a failed request and for a status other than
    ///   200, 403 and 404.
    func document(at url: String, upTo limit: Int) async throws -> Data? {
        // The announced hashes are those of the bytes without a content coding.
        guard let head = HTTPRequest(urlText: url, headerFields: [.acceptEncoding: "identity"]) else {
            throw CommandError(.badInput, code: "invalid-request", "not an absolute URL", at: url)
        }
        do {
            let response = try await transport.send(head, body: .empty)
            switch response.head.status.code {
            case 200: return try await Self.collect(response.body, upTo: limit, at: url)
            case 403, 404: return nil
            default:
                throw CommandError(
                    .unavailable, code: "bad-status", "HTTP status \(response.head.status.code)", at: url)
            }
        } catch let error as ResourceError {
            throw CommandError(.unavailable, code: "\(error.code)", error.message, at: error.location ?? url)
        }
    }

    /// Reads at most `limit` + 1 bytes. A server that sends a byte now and then cannot delay the command for days.
    private static func collect(_ body: ResourceBody, upTo limit: Int, at url: String) async throws -> Data {
        var data = Data()
        let start = SuspendingClock.now
        for try await piece in body.pieces() {
            guard start.duration(to: .now) < .seconds(60 + data.count / minimumRate) else {
                throw CommandError(
                    .unavailable, code: "too-slow", "less than \(minimumRate) bytes a second", at: url)
            }
            let rest = limit - data.count
            guard piece.count <= rest else {
                data.append(piece.prefix(rest + 1))
                break
            }
            data.append(piece)
        }
        return data
    }
}
