// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading

@testable import HTTPCache

/// A run of one test through a shared cache, equivalent to the suite's client and server with a proxy.
struct ConformanceRun {
    /// The result of a test, without its dependencies.
    enum Verdict: Equatable {
        case passed
        /// A precondition of the test does not hold.
        case setup(String)
        case failed(String)
    }

    /// The error that ends a test.
    private struct Stop: Error {
        let verdict: Verdict
    }

    private struct Answer {
        let head: HTTPResponse
        let text: String
    }

    let test: ConformanceTest
    private let time = TestTime()

    init(_ test: ConformanceTest) {
        self.test = test
    }

    func verdict() async -> Verdict {
        do {
            try await run()
            return .passed
        } catch let stop as Stop {
            return stop.verdict
        } catch {
            return .failed("\(error)")
        }
    }

    private func run() async throws {
        let origin = ConformanceOrigin(test.requests, time)
        let cache = CachingLoader(
            next: origin, store: MemoryCacheStore(), configuration: .shared, now: { [time] in time.now })
        var answers: [Answer] = []
        for (index, request) in test.requests.enumerated() {
            let answer = try await send(request, number: index + 1, after: answers.last, through: cache)
            answers.append(answer)
            try check(answer, number: index + 1)
            await cache.waitUntilIdle()
            if request.pausesAfter { time.advance(by: 3) }
        }
        try check(origin.seen, answers)
    }

    /// Sends a request as a client of a proxy. An error of the cache becomes a `502` response.
    private func send(
        _ wanted: ConformanceRequest, number: Int, after former: Answer?, through cache: CachingLoader
    ) async throws -> Answer {
        let path = "/test/\(test.id)" + (wanted.filename.map { "/\($0)" } ?? "") + (wanted.query.map { "?\($0)" } ?? "")
        guard var head = HTTPRequest(urlText: "http://origin.test\(path)"),
            let method = HTTPRequest.Method(wanted.method)
        else { throw Stop(verdict: .setup("no request")) }
        head.method = method
        // The suite's own client sends both fields, so that its HTTP library adds nothing.
        head.headerFields[.pragma] = "foo"
        head.headerFields[.cacheControl] = "nothing-to-see-here"
        let base = former?.head.headerFields[.serverNow].flatMap { Double($0) }.map {
            Date(timeIntervalSince1970: $0 / 1_000)
        }
        for field in wanted.requestFields {
            guard let name = HTTPField.Name(field.name) else { continue }
            let now = wanted.hasMagicDates ? base ?? time.now : time.now
            let value = ConformanceOrigin.fill(field, now: now, path: path, wanted)
            head.headerFields.append(HTTPField(name: name, value: value))
        }
        head.headerFields[.requestNumber] = String(number)
        let body = wanted.requestBody.map { ResourceBody.bytes(Data($0.utf8)) } ?? .empty
        do {
            guard let response = try await cache.load(ResourceRequest(head, body: body)) else {
                throw Stop(verdict: .failed("no response"))
            }
            return Answer(
                head: response.head,
                text: String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self))
        } catch is ResourceError {
            return Answer(head: HTTPResponse(status: .badGateway), text: "")
        }
    }

    private func demand(_ holds: Bool, isSetup: Bool, _ message: String) throws {
        if !holds { throw Stop(verdict: isSetup ? .setup(message) : .failed(message)) }
    }

    private func check(_ answer: Answer, number: Int) throws {
        let wanted = test.requests[number - 1]
        let fields = answer.head.headerFields
        let status = answer.head.status.code
        let count = fields[.serverCount].flatMap { Int($0) }
        if let numbers = fields[.requestNumbers]?.split(separator: " ") {
            try demand(numbers.count == Set(numbers).count, isSetup: true, "retry")
        }
        let isTypeSetup = wanted.isSetup("expected_type")
        if wanted.expectedType == "cached", !(status == 304 && count == nil) {
            try demand(
                count.map { $0 < number } ?? false, isSetup: isTypeSetup, "\(number) does not come from the cache")
        }
        if wanted.expectedType == "not_cached" {
            try demand(count == number, isSetup: isTypeSetup, "\(number) comes from the cache")
        }
        switch wanted.expectedStatus {
        case .anything: break
        case .value(let expected):
            try demand(status == expected, isSetup: wanted.isSetup("expected_status"), "\(number) has status \(status)")
        case nil:
            if wanted.status == nil, status == 999 {
                try demand(false, isSetup: isTypeSetup, "\(number) should have been conditional")
            }
            try demand(status == wanted.status ?? 200, isSetup: true, "\(number) has status \(status)")
        }
        for expectation in wanted.expectedFields {
            try demand(
                holds(expectation, in: answer, wanted), isSetup: wanted.isSetup("expected_response_headers"),
                "\(number) lacks \(expectation): \(fields)")
        }
        for expectation in wanted.missingFields {
            let isThere =
                switch expectation {
                case .present(let name): HTTPField.Name(name).map { fields.contains($0) } ?? false
                default: holds(expectation, in: answer, wanted)
                }
            try demand(
                !isThere, isSetup: wanted.isSetup("expected_response_headers_missing"), "\(number) has \(expectation)")
        }
        if let interim = wanted.expectsInterimResponses, interim > 0 {
            try demand(
                false, isSetup: wanted.isSetup("expected_interim_responses"), "\(number) lacks interim responses")
        }
        try checkBody(answer, number: number, wanted)
    }

    private func checkBody(_ answer: Answer, number: Int, _ wanted: ConformanceRequest) throws {
        guard wanted.checksBody else { return }
        switch wanted.expectedText {
        case .anything: return
        case .value(let text):
            return try demand(
                answer.text == text, isSetup: wanted.isSetup("expected_response_text"), "\(number) has \(answer.text)")
        case nil: break
        }
        if let text = wanted.responseBody {
            try demand(answer.text == text, isSetup: true, "\(number) has \(answer.text)")
        } else if ![204, 304].contains(answer.head.status.code), wanted.method != "HEAD" {
            try demand(answer.text == ConformanceOrigin.defaultBody, isSetup: true, "\(number) has \(answer.text)")
        }
    }

    private func holds(
        _ expectation: ConformanceRequest.Expectation, in answer: Answer, _ wanted: ConformanceRequest
    ) -> Bool {
        let fields = answer.head.headerFields
        func value(_ name: String) -> String? { HTTPField.Name(name).flatMap { fields[$0] } }
        switch expectation {
        case .present(let name): return value(name) != nil
        case .sameAs(let name, let other): return value(name) != nil && value(name) == value(other)
        case .above(let name, let least): return value(name).flatMap { Int($0) }.map { $0 > least } ?? false
        case .equals(let name, let expected):
            let now = value("Server-Now").flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0 / 1_000) }
            let text = ConformanceOrigin.fill(
                name: name, expected, now: now ?? time.now, path: value("Server-Base-Url") ?? "", wanted)
            return value(name) == text
        }
    }

    /// Checks the requests at the origin, and the fields of the origin at the client.
    private func check(_ seen: [ConformanceOrigin.Seen], _ answers: [Answer]) throws {
        var index = 0
        for (place, wanted) in test.requests.enumerated() {
            let number = place + 1
            if wanted.expectedType == "cached" { continue }
            let request = seen.indices.contains(index) ? seen[index] : nil
            index += 1
            let isTypeSetup = wanted.isSetup("expected_type")
            if wanted.expectedType == "not_cached" {
                try demand(request?.number == number, isSetup: isTypeSetup, "\(number) did not reach the origin")
            }
            let validators = ["etag_validated": HTTPField.Name.ifNoneMatch, "lm_validated": .ifModifiedSince]
            if let name = wanted.expectedType.flatMap({ validators[$0] }) {
                try demand(request?.fields.contains(name) == true, isSetup: isTypeSetup, "\(number) lacks \(name)")
            }
            for expectation in wanted.expectedRequestFields {
                try demand(
                    request.map { Self.holds(expectation, at: $0) } ?? false,
                    isSetup: wanted.isSetup("expected_request_headers"), "request \(number) lacks \(expectation)")
            }
            for expectation in wanted.missingRequestFields {
                try demand(
                    request.map { !Self.holds(expectation, at: $0) } ?? false,
                    isSetup: wanted.isSetup("expected_request_headers_missing"), "request \(number) has \(expectation)")
            }
            for (name, value) in request?.answer ?? [:] where name != .date {
                let received = answers[place].head.headerFields[name]
                try demand(
                    received == value, isSetup: true, "\(number) has \(name) \(received ?? "none"), not \(value)")
            }
            if let method = wanted.expectedMethod {
                try demand(
                    request?.method == method, isSetup: wanted.isSetup("expected_method"),
                    "request \(number) is no \(method)")
            }
        }
    }

    private static func holds(_ expectation: ConformanceRequest.Expectation, at request: ConformanceOrigin.Seen) -> Bool
    {
        switch expectation {
        case .present(let name): HTTPField.Name(name).map { request.fields.contains($0) } ?? false
        case .equals(let name, .text(let value)): HTTPField.Name(name).flatMap { request.fields[$0] } == value
        default: false
        }
    }
}
