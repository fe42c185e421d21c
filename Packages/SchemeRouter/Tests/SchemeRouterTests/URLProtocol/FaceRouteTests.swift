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

    @Test("A loader that uses its own face ends at the network")
    func loop() async throws {
        let session = Mutex<URLSession?>(nil)
        let loader = AnsweringLoader { request in
            guard let session = session.withLock({ $0 }), let url = URL(string: request.head.urlText) else {
                throw CancellationError()
            }
            return AnsweringLoader.text(String(decoding: try await session.data(from: url).0, as: UTF8.self) + "!")
        }
        var limits = URLProtocolFace.Limits()
        limits.sameRequests = 5
        let faced = try FacedSession(loader, limits: limits)
        session.withLock { $0 = faced.session }
        #expect(try await faced.data("https://app.example/").text == "the session!!!!!")
        // Completed requests are no longer counted.
        #expect(try await faced.data("https://app.example/").text == "the session!!!!!")
    }
}
