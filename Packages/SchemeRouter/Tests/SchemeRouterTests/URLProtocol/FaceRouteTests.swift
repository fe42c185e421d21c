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

@Suite("Faces beside each other, and loops", .timeLimit(.minutes(2)))
struct FaceRouteTests {
    private func face(_ text: String) -> URLProtocolFace {
        URLProtocolFace(AnsweringLoader { _ in AnsweringLoader.text(text) }, covering: { _ in true })
    }

    @Test("each face answers the sessions that it was installed in, and no other")
    func apart() async throws {
        let sessions = try (0..<9).map { try FacedSession(face("face \($0)")) }
        for (number, session) in sessions.enumerated() {
            #expect(try await session.data("https://app.example/").text == "face \(number)")
        }
    }

    @Test("sessions that are alike share a class; installing another face takes the place of the first")
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

    @Test("a face that is gone leaves its sessions to themselves")
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
        // Nothing of a request that is over holds on to it.
        while left != nil { await Task.yield() }
        #expect(try await session.data(from: url).0 == Data("the session".utf8))
    }

    @Test("a loader that comes back to its own face ends at the network")
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
        // And again: what was under way is counted off.
        #expect(try await faced.data("https://app.example/").text == "the session!!!!!")
    }
}
