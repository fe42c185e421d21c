// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading
import Testing

@_spi(Facade) @testable import SchemeRouter

@Suite("Content of the app", .timeLimit(.minutes(1)))
struct HostContentTests {
    private struct Source: ResourceLoader {
        var act: @Sendable (ResourceRequest) async throws -> ResourceResponse?

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { try await act(request) }
    }

    private static var picture: ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "image/png"]), body: .bytes(Data([1, 2])),
            provenance: Provenance(.disk, reason: "a picture"))
    }

    private func content(
        _ act: @escaping @Sendable (ResourceRequest) async throws -> ResourceResponse? = { _ in Self.picture }
    ) throws -> HostContent {
        let host = try #require(HostPattern("*.img.example"))
        let content = HostContent(
            "pictures", for: [host], contains: { $0.path?.hasSuffix(".png") == true }, loader: Source(act: act))
        return try #require(content)
    }

    private func request(_ url: String, _ method: HTTPRequest.Method = .get) throws -> ResourceRequest {
        ResourceRequest(try #require(HTTPRequest(method: method, urlText: url)))
    }

    @Test("A name is one word that no other source has")
    func names() throws {
        let hosts = [try #require(HostPattern("a.example"))]
        let loader = Source { _ in nil }
        for name in [
            "", "Pictures", "my pictures", "pictures2", "network", "package", String(repeating: "a", count: 33),
        ] {
            #expect(HostContent(name, for: hosts, contains: { _ in true }, loader: loader) == nil, "\(name)")
        }
        #expect(HostContent("pictures", for: [], contains: { _ in true }, loader: loader) == nil)
        #expect(HostContent("pictures", for: hosts, contains: { _ in true }, loader: loader)?.place == .beforeCache)
    }

    @Test("The source is asked for GET and HEAD requests to its hosts that it contains")
    func requests() async throws {
        let content = try content()
        for (url, method, isAsked) in [
            ("https://a.img.example/a.png", .get, true), ("http://a.img.example:80/a.png", .head, true),
            ("https://a.img.example/a.png", .post, false), ("https://a.img.example/a.js", .get, false),
            ("https://img.example/a.png", .get, false), ("https://a@a.img.example/a.png", .get, false),
        ] as [(String, HTTPRequest.Method, Bool)] {
            let request = try request(url, method)
            let response = try await content.load(request)
            #expect((response != nil) == isAsked, "\(url)")
            #expect(response.map { $0.provenance.source.rawValue == "pictures" } ?? !isAsked)
            switch content.immediateResponse(to: request) {
            case .later: #expect(isAsked)
            case .known(let response): #expect(!isAsked && response == nil)
            }
        }
    }

    @Test("A failure of the source is not a failure of the request, but a cancellation is")
    func failures() async throws {
        let request = try request("https://a.img.example/a.png")
        let failing = try content { _ in throw ResourceError(.io, "no disk") }
        #expect(try await failing.load(request) == nil)
        let gate = CallGate()
        gate.close()
        let waiting = try content { _ in
            await gate.pass()
            try Task.checkCancellation()
            return Self.picture
        }
        let task = Task { try await waiting.load(request) }
        for await _ in gate.arrivals { break }
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A source that exceeds its limit does not answer")
    func limit() async throws {
        let clock = ManualClock()
        var content = try content { _ in
            try await clock.sleep(for: .seconds(60))
            return Self.picture
        }
        content.clock = clock
        let request = try request("https://a.img.example/a.png")
        let limited = content
        let task = Task { try await limited.load(request) }
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(10))
        #expect(try await task.value == nil)
    }
}
