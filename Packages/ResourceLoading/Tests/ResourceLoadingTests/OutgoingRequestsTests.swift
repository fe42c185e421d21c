// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import HTTPTypes
import ResourceLoading
import Testing

@Suite("Requests that code of the app sends", .timeLimit(.minutes(1)))
struct OutgoingRequestsTests {
    private let url = "https://shop.example/a?b"

    private func request(_ url: String, _ method: HTTPRequest.Method = .get) throws -> HTTPRequest {
        try #require(HTTPRequest(method: method, urlText: url))
    }

    @Test("A request is marked during the step only")
    func steps() async throws {
        let outgoing = OutgoingRequests()
        let (request, other) = (try request(url), try request("https://shop.example/c"))
        #expect(!outgoing.contains(request))
        let result = await outgoing.marking(request) {
            #expect(outgoing.contains(request) && outgoing.contains(request) && !outgoing.contains(other))
            return 1
        }
        #expect(result == 1 && !outgoing.contains(request) && outgoing.returned == 1)
        await #expect(throws: CancellationError.self) {
            try await outgoing.marking(request) { throw CancellationError() }
        }
        #expect(!outgoing.contains(request) && outgoing.returned == 1)
    }

    @Test("Equal requests in progress have one mark, which ends with the last of them")
    func nested() async throws {
        let outgoing = OutgoingRequests()
        let request = try request(url)
        await outgoing.marking(request) {
            await outgoing.marking(request) { #expect(outgoing.contains(request)) }
            #expect(outgoing.contains(request))
        }
        #expect(!outgoing.contains(request) && outgoing.returned == 1)
    }

    @Test("A cancelled step removes its mark")
    func cancelled() async throws {
        let outgoing = OutgoingRequests()
        let request = try request(url)
        let (starts, start) = AsyncStream<Void>.makeStream()
        let task = Task {
            await outgoing.marking(request) {
                start.yield()
                for await _ in AsyncStream<Void>.makeStream().stream {}
            }
        }
        for await _ in starts { break }
        #expect(outgoing.contains(request))
        task.cancel()
        await task.value
        #expect(!outgoing.contains(request))
    }

    @Test(
        "The mark does not depend on the form of the URL",
        arguments: [
            ("https://shop.example/a?b", "https://SHOP.example:443/a?b#c", true),
            ("http://shop.example:80/", "http://shop.example", true),
            ("https://shop.example/a|b?ü=%7b", "https://shop.example/a%7Cb?%C3%BC=%7B", true),
            ("https://shop.example/100%", "https://shop.example/100%25", true),
            ("https://shop.example/%4", "https://shop.example/%254", true),
            ("https://shop.example/a?b", "https://shop.example:8443/a?b", false),
            ("https://shop.example/a?b", "http://shop.example/a?b", false),
            ("https://shop.example/a?b", "https://shop.example/a?c", false),
            ("https://shop.example/a", "https://shop.example/A", false),
        ])
    func forms(sent: String, asked: String, isEqual: Bool) async throws {
        let outgoing = OutgoingRequests()
        let (sent, asked) = (try request(sent), try request(asked))
        await outgoing.marking(sent) { #expect(outgoing.contains(asked) == isEqual) }
        await outgoing.marking(asked) { #expect(outgoing.contains(sent) == isEqual) }
        var posted = sent
        posted.method = .post
        await outgoing.marking(sent) { [posted] in #expect(!outgoing.contains(posted)) }
    }

    @Test("Each URL that came back is reported once, after its step, and 64 at most")
    func reports() async throws {
        let reported = Mutex<[String]>([])
        let outgoing = OutgoingRequests { request in reported.withLock { $0.append(request.urlText) } }
        let quiet = try request("https://shop.example/quiet")
        await outgoing.marking(quiet) {}
        for number in 0..<70 {
            let request = try request("https://shop.example/\(number)")
            for _ in 0..<2 {
                await outgoing.marking(request) {
                    let count = reported.withLock(\.count)
                    #expect(outgoing.contains(request) && reported.withLock(\.count) == count)
                }
            }
        }
        #expect(outgoing.returned == 140)
        #expect(reported.withLock { $0 } == (0..<64).map { "https://shop.example/\($0)" })
    }
}
