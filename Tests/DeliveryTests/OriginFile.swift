// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import Testing

/// One file of an origin with programmable server behaviour.
///
/// Range requests are handled with `ETag` and `If-Range` according to RFC 9110, sections 13 and 14. The n-th request
/// gets the n-th turn; later requests get the normal response.
final class OriginFile: Sendable {
    enum Turn: Sendable {
        case well
        /// Status 200 with the complete file, for any range.
        case ignoreRange
        /// Status 206 with the range, although `If-Range` names another representation.
        case ignoreIfRange
        /// The announced length, but the connection breaks after the given number of bytes.
        case cut(Int)
        /// The given number of bytes, then silence.
        case stall(Int)
        case flip
        case answer(OriginResponse)
        /// No length, and the given number of additional bytes.
        case long(Int)
        /// New content for the current and later requests.
        case change(Data, eTag: String)
    }

    private struct State {
        var content: Data
        var eTag: String?
        var turns: [Turn]
        var requests: [OriginRequest] = []
    }

    private let state: Mutex<State>
    /// A gate that delays responses until it is opened.
    let gate: Gate?

    init(_ content: Data, eTag: String? = "\"1\"", turns: [Turn] = [], gate: Gate? = nil) {
        state = Mutex(State(content: content, eTag: eTag, turns: turns))
        self.gate = gate
    }

    var requests: [OriginRequest] { state.withLock { $0.requests } }
    var ranges: [String?] { requests.map { $0.headers[.range] } }

    func route(_ path: String) throws -> OriginRoute {
        OriginRoute(.get, try #require(OriginPathPattern(path))) { try await self.answer($0) }
    }

    private func answer(_ request: OriginRequest) async throws -> OriginResponse {
        let (turn, content, eTag) = state.withLock { state in
            state.requests.append(request)
            let turn = state.turns.isEmpty ? .well : state.turns.removeFirst()
            if case .change(let content, let eTag) = turn {
                state.content = content
                state.eTag = eTag
            }
            return (turn, state.content, state.eTag)
        }
        await gate?.pass()
        var fields: HTTPFields = [.contentType: "application/zip"]
        fields[.eTag] = eTag
        if case .answer(let response) = turn { return response }
        var isRangeHonoured = request.headers[.range] != nil
        if let condition = request.headers[.ifRange], condition != eTag { isRangeHonoured = false }
        if case .ignoreIfRange = turn { isRangeHonoured = true }
        if case .ignoreRange = turn { isRangeHonoured = false }
        var body = content
        var status = HTTPResponse.Status.ok
        if isRangeHonoured, let field = request.headers[.range] {
            let bounds = field.dropFirst("bytes=".count).split(separator: "-", omittingEmptySubsequences: false)
            let first = Int(bounds[0]) ?? 0
            guard first < content.count else {
                fields[.contentRange] = "bytes */\(content.count)"
                return OriginResponse(.rangeNotSatisfiable, headers: fields)
            }
            let last = min(Int(bounds[1]) ?? content.count - 1, content.count - 1)
            fields[.contentRange] = "bytes \(first)-\(last)/\(content.count)"
            body = content[first...last]
            status = .partialContent
        }
        switch turn {
        case .cut(let count): return Self.broken(status, fields, body, after: count, thenStall: false)
        case .stall(let count): return Self.broken(status, fields, body, after: count, thenStall: true)
        case .flip:
            body = Data(body)
            body[body.count / 2] ^= 0x40
        case .long(let count):
            let bytes = body + Data(count: count)
            return OriginResponse(
                status, headers: fields, body: .stream(length: nil) { writer in try await writer.write(bytes) })
        default: break
        }
        return OriginResponse(status, headers: fields, body: .bytes(body))
    }

    private struct Broken: Error {}

    private static func broken(
        _ status: HTTPResponse.Status, _ fields: HTTPFields, _ body: Data, after count: Int, thenStall: Bool
    ) -> OriginResponse {
        OriginResponse(
            status, headers: fields,
            body: .stream(length: body.count) { writer in
                if count > 0 { try await writer.write(Data(body.prefix(count))) }
                // Waits until the server stops or the client disconnects.
                if thenStall { await Gate().pass() }
                throw Broken()
            })
    }
}
