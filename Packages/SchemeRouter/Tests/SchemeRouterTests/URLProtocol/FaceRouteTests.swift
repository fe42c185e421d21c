// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("Several faces, and recursion", .timeLimit(.minutes(2)))
struct FaceRouteTests {
    private func face(_ text: String) -> URLProtocolFace {
        URLProtocolFace(AnsweringLoader { _ in AnsweringLoader.text(text) }, covering: { _ in true })
    }

    @Test("A face handles only the sessions that it is installed in")
    func apart() async throws {
        let sessions = try (0..<9).map { try FacedSession(face("face \($0)")) }
        for (number, session) in sessions.enumerated() {
            #expect(try await session.data("https://app.example/").text == "face \(number)")
        }
    }

    @Test("Sessions with equal settings share a class; another face replaces the first")
    func classes() throws {
        let one = face("one")
        let two = face("two")
        let configuration = URLSessionConfiguration.ephemeral
        let others = configuration.protocolClasses?.count ?? 0
        one.install(in: configuration)
        let first = configuration.protocolClasses?.first.map { ObjectIdentifier($0) }
        one.install(in: configuration)
        #expect(configuration.protocolClasses?.first.map { ObjectIdentifier($0) } == first)
        #expect(configuration.protocolClasses?.count == others + 1)
        two.install(in: configuration)
        #expect(configuration.protocolClasses?.first.map { ObjectIdentifier($0) } != first)
        #expect(configuration.protocolClasses?.count == others + 1)
        withExtendedLifetime(one) {}
    }

    @Test("Sessions of a released face use the network")
    func gone() async throws {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [SessionNetwork.self]
        let url = try #require(URL(string: "https://app.example/"))
        weak var left: URLProtocolFace?
        let session: URLSession
        do {
            let face = face("face")
            left = face
            face.install(in: configuration)
            session = URLSession(configuration: configuration)
            #expect(try await session.data(from: url).0 == Data("face".utf8))
            withExtendedLifetime(face) {}
        }
        // Completed requests hold no reference to the face.
        while left != nil { await Task.yield() }
        #expect(try await session.data(from: url).0 == Data("the session".utf8))
    }

    @Test("A request of the loader that comes back goes to the network at once")
    func loop() async throws {
        let session = Mutex<URLSession?>(nil)
        let outgoing = OutgoingRequests()
        let loader = AnsweringLoader { request in
            guard let session = session.withLock({ $0 }), let url = URL(string: request.head.urlText) else {
                throw CancellationError()
            }
            let data = try await outgoing.marking(request.head) { try await session.data(from: url).0 }
            return AnsweringLoader.text(String(decoding: data, as: UTF8.self) + "!")
        }
        let faced = try FacedSession(loader, outgoing: outgoing)
        session.withLock { $0 = faced.session }
        #expect(try await faced.data("https://app.example/").text == "the session!")
        // The mark ends with the request.
        #expect(try await faced.data("https://app.example/").text == "the session!")
        #expect(outgoing.returned == 2)
    }

    @Test("Without marks, a loader that uses its own face ends at the network, also if it changes the query")
    func unmarkedLoop() async throws {
        let session = Mutex<URLSession?>(nil)
        let count = Mutex(0)
        let loader = AnsweringLoader { request in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let url = URL(string: "https://app.example/?\(number)")
            guard number < 100, let session = session.withLock({ $0 }), let url else { throw CancellationError() }
            return AnsweringLoader.text(String(decoding: try await session.data(from: url).0, as: UTF8.self) + "!")
        }
        var limits = URLProtocolFace.Limits()
        limits.sameRequests = 5
        let (reports, report) = AsyncStream<Void>.makeStream()
        let faced = try FacedSession(loader, limits: limits, observer: { _ in report.yield() })
        session.withLock { $0 = faced.session }
        #expect(try await faced.data("https://app.example/").text == "the session!!!!!")
        // Completed requests are no longer counted.
        var ended = 0
        for await _ in reports {
            ended += 1
            if ended == 5 { break }
        }
        #expect(try await faced.data("https://app.example/").text == "the session!!!!!")
    }

    @Test("The face handles all concurrent requests for one URL")
    func equalRequests() async throws {
        let (arrivals, arrive) = AsyncStream<Void>.makeStream()
        let (releases, release) = AsyncStream<Void>.makeStream()
        let loader = AnsweringLoader { _ in
            arrive.yield()
            for await _ in releases { break }
            return AnsweringLoader.text("face")
        }
        let faced = try FacedSession(loader, change: { $0.httpMaximumConnectionsPerHost = 200 })
        let texts = try await withThrowingTaskGroup(of: String.self) { group in
            for _ in 0..<200 { group.addTask { try await faced.data("https://app.example/").text } }
            var arrived = 0
            for await _ in arrivals {
                arrived += 1
                if arrived == 200 { break }
            }
            release.finish()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(texts == Array(repeating: "face", count: 200))
    }
}
