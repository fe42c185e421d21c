// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPTypes
import ResourceLoading
import SchemeMode
import Testing

@Suite("Redirects", .timeLimit(.minutes(1)))
struct RedirectFollowerTests {
    @Test(
        "If the redirect changes the method, the fields that describe the body are removed",
        arguments: [
            (301, "GET", "GET"), (301, "POST", "GET"), (301, "PUT", "PUT"), (302, "POST", "GET"), (302, "HEAD", "HEAD"),
            (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"), (307, "POST", "POST"),
            (308, "PUT", "PUT"),
        ])
    func methods(status: Int, before: String, after: String) async throws {
        let site = Site(["https://a.example/1": (status, "2")])
        let method = try #require(HTTPRequest.Method(before))
        // These fields describe the body.
        let fields: HTTPFields = [
            .contentType: "text/plain", .contentLanguage: "de", .contentLocation: "/x", .contentEncoding: "gzip",
        ]
        _ = try await RedirectFollower(site, names: .standard).load(
            subrequest("https://a.example/1", method, fields))
        let hops = site.receivedRequests
        #expect(hops.map(\.urlText) == ["https://a.example/1", "https://a.example/2"])
        #expect(hops.last?.method.rawValue == after)
        for field in fields { #expect((hops.last?.headerFields[field.name] == nil) == (before != after)) }
    }

    @Test("A response contains the final URL; a redirect that must not be followed is returned")
    func places() async throws {
        let site = Site(["https://a.example/1": (302, "2#x"), "https://a.example/2": (302, "https://a.example/3")])
        let follower = RedirectFollower(site, names: .standard)
        let moved = try #require(try await follower.load(subrequest("https://a.example/1")))
        #expect(moved.movedTo == "https://a.example/3")
        let direct = try #require(try await follower.load(subrequest("https://a.example/3")))
        #expect(direct.movedTo == nil)
        var request = try subrequest("https://a.example/1")
        request.followsRedirects = false
        let stopped = try #require(try await follower.load(request))
        #expect(stopped.head.status.code == 302)
        #expect(stopped.movedTo == nil)
        #expect(site.receivedRequests.count == 5)
    }

    @Test("A redirect to a custom-scheme URL is a redirect to its real URL")
    func names() async throws {
        let site = Site([
            "https://a.example/1": (302, "containerkit://a.example/2?x"),
            "https://a.example/2?x": (307, "ContainerKit://A.example:443/3"),
            "https://a.example/plain": (302, "containerkit-http://a.example/"),
            "https://a.example/other": (302, "other://a.example/"),
        ])
        let follower = RedirectFollower(site, names: .standard)
        let moved = try #require(try await follower.load(subrequest("https://a.example/1")))
        #expect(moved.movedTo == "https://a.example/3")
        #expect(
            site.receivedRequests.map(\.urlText) == [
                "https://a.example/1", "https://a.example/2?x", "https://a.example/3",
            ])
        // Mixed content, and a custom scheme of another app.
        for (url, code) in [
            ("https://a.example/plain", ResourceError.Code.blocked), ("https://a.example/other", .invalidRequest),
        ] {
            await #expect {
                try await follower.load(subrequest(url))
            } throws: {
                ($0 as? ResourceError)?.code == code
            }
        }
    }

    @Test("Authorization is not sent to another origin")
    func credentials() async throws {
        let site = Site(["https://a.example/": (302, "https://b.example/"), "https://b.example/": (302, "/next")])
        _ = try await RedirectFollower(site, names: .standard).load(
            subrequest("https://a.example/", .get, [.authorization: "Basic eA=="]))
        let hops = site.receivedRequests
        #expect(hops.map { $0.headerFields[.authorization] != nil } == [true, false, false])
    }

    @Test("A loop ends after twenty hops, and a target that is not http is refused")
    func limits() async throws {
        let loop = Site(["https://a.example/": (302, "/")])
        await #expect {
            try await RedirectFollower(loop, names: .standard).load(subrequest("https://a.example/"))
        } throws: {
            ($0 as? ResourceError)?.code == .tooManyRedirects
        }
        #expect(loop.receivedRequests.count == 21)
        let file = Site(["https://a.example/": (302, "file:///etc/passwd")])
        await #expect {
            try await RedirectFollower(file, names: .standard).load(subrequest("https://a.example/"))
        } throws: {
            ($0 as? ResourceError)?.code == .invalidRequest
        }
    }

    @Test(
        "The method after a redirect depends on status and method as in Fetch",
        arguments: [301, 302, 303, 307, 308], [HTTPRequest.Method.get, .head, .post, .put, .delete])
    func table(status: Int, method: HTTPRequest.Method) async throws {
        let site = Site(["https://a.example/": (status, "/next")])
        _ = try await RedirectFollower(site, names: .standard).load(subrequest("https://a.example/", method))
        // Fetch, HTTP-redirect fetch, step 12.
        let expected: HTTPRequest.Method =
            switch (status, method) {
            case (301, .post), (302, .post): .get
            case (303, .head): .head
            case (303, _): .get
            default: method
            }
        #expect(site.receivedRequests.map(\.method) == [method, expected])
        let keepsBody = method != .get && expected == method
        #expect(site.bodies.last == (keepsBody ? "x" : ""))
    }

    @Test(
        "Other responses are returned, with or without a Location",
        arguments: [(200, "/x"), (201, "/x"), (300, "/x"), (304, "/x"), (305, "/x"), (306, "/x"), (302, "")])
    func noRedirect(status: Int, location: String) async throws {
        let site = Site(["https://a.example/": (status, location)])
        let response = try await RedirectFollower(site, names: .standard).load(subrequest("https://a.example/"))
        #expect(response?.head.status.code == status)
        #expect(site.receivedRequests.count == 1)
    }

    @Test("A nil response stays nil, at the first hop and at a later one")
    func notMine() async throws {
        let site = Site(["https://a.example/": (302, "https://b.example/"), "https://b.example/": (0, "")])
        #expect(try await RedirectFollower(site, names: .standard).load(subrequest("https://b.example/")) == nil)
        #expect(try await RedirectFollower(site, names: .standard).load(subrequest("https://a.example/")) == nil)
    }

    @Test("Twenty hops are followed")
    func twenty() async throws {
        var answers: [String: (Int, String)] = [:]
        for hop in 0..<20 { answers["https://a.example/\(hop)"] = (302, "\(hop + 1)") }
        let site = Site(answers)
        let response = try await RedirectFollower(site, names: .standard).load(subrequest("https://a.example/0"))
        #expect(response?.head.status == .ok)
        #expect(site.receivedRequests.last?.urlText == "https://a.example/20")
    }

    @Test("A stream is not sent twice, but a redirect without a body continues")
    func streams() async throws {
        func request() throws -> ResourceRequest {
            var request = try subrequest("https://a.example/", .post)
            let (stream, end) = AsyncThrowingStream<Data, any Error>.makeStream()
            end.finish()
            request.body = .stream(ByteStream(stream))
            return request
        }
        let keeping = Site(["https://a.example/": (307, "/next")])
        await #expect(throws: ResourceError.self) {
            try await RedirectFollower(keeping, names: .standard).load(request())
        }
        #expect(keeping.receivedRequests.count == 1)
        let dropping = Site(["https://a.example/": (303, "/next")])
        _ = try await RedirectFollower(dropping, names: .standard).load(request())
        #expect(dropping.receivedRequests.map(\.method) == [.post, .get])
    }

    @Test("A short stream is sent again; a long one and one of unknown length are not buffered")
    func shortStreams() async throws {
        for length in [5, 64 << 10, (64 << 10) + 1, nil] {
            let site = Site(["https://a.example/": (307, "/next")])
            var request = try subrequest("https://a.example/", .post)
            let (stream, end) = AsyncThrowingStream<Data, any Error>.makeStream()
            let rest = String(repeating: "x", count: (length ?? 5) - 2)
            for piece in ["ab", rest] { end.yield(Data(piece.utf8)) }
            end.finish()
            request.body = .stream(ByteStream(stream, length: length.map(Int64.init)))
            let sent = request
            let loaded = try? await RedirectFollower(site, names: .standard).load(sent)
            let isKept = length.map { $0 <= 64 << 10 } ?? false
            #expect((loaded != nil) == isKept)
            #expect(site.receivedRequests.map(\.method) == (isKept ? [.post, .post] : [.post]))
            #expect(site.bodies.allSatisfy { $0 == "ab" + rest })
        }
    }
}
