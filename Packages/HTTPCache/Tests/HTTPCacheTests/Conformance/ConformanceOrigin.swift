// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import WebSyntax

@testable import HTTPCache

/// The origin of one conformance test. It responds as the test specifies and records the requests.
final class ConformanceOrigin: ResourceLoader {
    /// A request received by the origin, and the response fields that the client must receive.
    struct Seen: Sendable {
        let number: Int
        let method: String
        let fields: HTTPFields
        let answer: [HTTPField.Name: String]
    }

    /// The default body of responses. One test requires the length of a UUID.
    static let defaultBody = "0a1b2c3d-4e5f-4a6b-8c7d-9e0f1a2b3c4d"

    private let requests: [ConformanceRequest]
    private let time: TestTime
    private let state = Mutex(State())

    private struct State {
        var seen: [Seen] = []
        /// The response fields with dates and locations filled in. They are computed once.
        var answers: [Int: [(ConformanceRequest.Field, String)]] = [:]
    }

    init(_ requests: [ConformanceRequest], _ time: TestTime) {
        self.requests = requests
        self.time = time
    }

    var seen: [Seen] { state.withLock(\.seen) }

    func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let fields = request.head.headerFields
        let number = fields[.requestNumber].flatMap { Int($0) } ?? 0
        guard requests.indices.contains(number - 1) else {
            throw ResourceError(.invalidRequest, "no request \(number)")
        }
        let wanted = requests[number - 1]
        time.advance(by: Double(wanted.responsePause))
        let now = time.now
        let path = request.head.path ?? ""
        return try state.withLock { state in
            let filled =
                state.answers[number]
                ?? wanted.responseFields.map { field in
                    (field, Self.fill(field, now: now, path: path, wanted))
                }
            state.answers[number] = filled
            let status = status(of: wanted, after: state.answers[number - 1] ?? unfilled(number - 1), request: fields)
            var head = HTTPResponse(status: .init(code: status))
            head.headerFields[.serverBase] = path
            head.headerFields[.serverCount] = String(state.seen.count + 1)
            head.headerFields[.clientCount] = String(number)
            head.headerFields[.serverNow] = String(Int(now.timeIntervalSince1970 * 1_000))
            var answer: [HTTPField.Name: String] = [:]
            for (field, value) in filled {
                guard let name = HTTPField.Name(field.name) else { continue }
                head.headerFields.append(HTTPField(name: name, value: value))
                if field.isCompared { answer[name] = head.headerFields[name] }
            }
            if !head.headerFields.contains(.contentType) { head.headerFields[.contentType] = "text/plain" }
            if !head.headerFields.contains(.date) { head.headerFields[.date] = HTTPDate.format(now) }
            state.seen.append(
                Seen(number: number, method: request.head.method.rawValue, fields: fields, answer: answer))
            head.headerFields[.requestNumbers] = state.seen.map { String($0.number) }.joined(separator: " ")
            if wanted.disconnects { throw ResourceError(.connectionLost, "the origin ends the connection") }
            let hasBody = ![204, 304].contains(status) && request.head.method != .head
            let whole = Data((wanted.responseBody ?? Self.defaultBody).utf8)
            var body = hasBody ? whole : Data()
            // The body is cut to the bytes that a client would read from the connection.
            if let length = head.headerFields[.contentLength].flatMap({ Int($0) }) {
                body = body.prefix(length)
            } else if ![204, 304].contains(status) {
                head.headerFields[.contentLength] = String(whole.count)
            }
            return ResourceResponse(
                head: head, body: body.isEmpty ? .empty : .stream(ByteStream(Pieces(body))),
                provenance: Provenance(.network, reason: "the origin"))
        }
    }

    /// The fields of a response that was never sent.
    private func unfilled(_ number: Int) -> [(ConformanceRequest.Field, String)] {
        guard requests.indices.contains(number - 1) else { return [] }
        return requests[number - 1].responseFields.map { field in
            if case .text(let text) = field.value { (field, text) } else { (field, "") }
        }
    }

    private func status(
        of wanted: ConformanceRequest, after former: [(ConformanceRequest.Field, String)], request: HTTPFields
    ) -> Int {
        guard wanted.expectedType?.hasSuffix("validated") == true else { return wanted.status ?? 200 }
        func last(_ name: String) -> String? { former.last { $0.0.name.lowercased() == name }?.1 }
        if let modified = last("last-modified"), request[.ifModifiedSince] == modified { return 304 }
        if let tag = last("etag"), request[.ifNoneMatch] == tag { return 304 }
        return 999
    }

    static func fill(
        _ field: ConformanceRequest.Field, now: Date, path: String, _ request: ConformanceRequest
    ) -> String {
        fill(name: field.name, field.value, now: now, path: path, request)
    }

    /// Fills in a field value. Numbers in dates are seconds from now. Locations of some tests are below the path of
    /// the test.
    static func fill(
        name: String, _ value: ConformanceRequest.Value, now: Date, path: String, _ request: ConformanceRequest
    ) -> String {
        let name = name.lowercased()
        switch value {
        case .number(let seconds):
            guard ["date", "expires", "last-modified", "if-modified-since", "if-unmodified-since"].contains(name) else {
                return String(seconds)
            }
            let date = now + Double(seconds)
            return request.dashedDates.contains(name) ? dashed(date) : HTTPDate.format(date)
        case .text(let text):
            guard request.hasMagicLocations, ["location", "content-location"].contains(name) else { return text }
            return text.isEmpty ? path : "\(path)/\(text)"
        }
    }

    /// Returns a date in the RFC 850 format: `Sunday, 06-Nov-94 08:49:37 GMT`.
    private static func dashed(_ date: Date) -> String {
        let parts = HTTPDate.format(date).split(separator: " ")
        let days = [
            "Sun,": "Sunday,", "Mon,": "Monday,", "Tue,": "Tuesday,", "Wed,": "Wednesday,", "Thu,": "Thursday,",
            "Fri,": "Friday,", "Sat,": "Saturday,",
        ]
        return "\(days[String(parts[0])] ?? "") \(parts[1])-\(parts[2])-\(parts[3].suffix(2)) \(parts[4]) GMT"
    }
}

/// A body in two pieces.
struct Pieces: AsyncSequence, Sendable {
    let pieces: [Data]

    init(_ data: Data) {
        pieces = [data.prefix(data.count / 2), data.dropFirst(data.count / 2)].filter { !$0.isEmpty }
    }

    func makeAsyncIterator() -> Iterator { Iterator(pieces: pieces[...]) }

    struct Iterator: AsyncIteratorProtocol {
        var pieces: ArraySlice<Data>
        mutating func next() async throws -> Data? { pieces.popFirst() }
        mutating func next(isolation actor: isolated (any Actor)?) async throws(any Error) -> Data? {
            pieces.popFirst()
        }
    }
}

extension HTTPField.Name {
    private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .via }

    static var requestNumber: Self { known("Req-Num") }
    static var serverBase: Self { known("Server-Base-Url") }
    static var serverCount: Self { known("Server-Request-Count") }
    static var clientCount: Self { known("Client-Request-Count") }
    static var serverNow: Self { known("Server-Now") }
    static var requestNumbers: Self { known("Request-Numbers") }
    static var pragma: Self { known("Pragma") }
}
