// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// A static file server in memory with range requests. It counts the bytes that it sends.
final class CountedNetwork: ResourceLoader {
    private struct State {
        var files: [String: Data] = [:]
        /// The bytes and requests by path.
        var sent: [String: (bytes: Int, requests: Int)] = [:]
    }

    private let state = Mutex(State())

    /// Accesses the file at a path.
    subscript(path: String) -> Data? {
        get { state.withLock { $0.files[path] } }
        set { state.withLock { $0.files[path] = newValue } }
    }

    /// Resets the counts.
    func reset() {
        state.withLock { $0.sent = [:] }
    }

    func sent(except path: String) -> (bytes: Int, requests: Int) {
        state.withLock { state in
            state.sent.filter { $0.key != path }.values.reduce((0, 0)) { ($0.0 + $1.bytes, $0.1 + $1.requests) }
        }
    }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let path = request.head.path, let file = self[path] else { return nil }
        var body = file
        var head = HTTPResponse(status: .ok, headerFields: [.eTag: "\"\(path)\""])
        if let match = request.head.headerFields[.range]?.wholeMatch(of: /bytes=(\d+)-(\d*)/),
            let first = Int(match.output.1), first < file.count
        {
            let last = min(Int(match.output.2) ?? .max, file.count - 1)
            guard first <= last else { return nil }
            body = file.subdata(in: first..<last + 1)
            head.status = .partialContent
            head.headerFields[.contentRange] = "bytes \(first)-\(last)/\(file.count)"
        }
        let count = body.count
        state.withLock { state in
            let before = state.sent[path] ?? (0, 0)
            state.sent[path] = (before.bytes + count, before.requests + 1)
        }
        head.headerFields[.contentLength] = "\(count)"
        return ResourceResponse(head: head, body: .bytes(body), provenance: Provenance(.network, reason: "counted"))
    }
}
