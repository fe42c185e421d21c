// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import NIOCore
import Testing

@testable import LoopbackServer

/// Systems that do not report the user of the peer process.
@Suite("Peers that cannot be checked", .timeLimit(.minutes(1)))
struct UncheckedPeerTests {
    private let loader = RecordingLoader { _ in .text("ok") }

    /// Returns the reasons of the events so far.
    private func reasons(_ witness: Witness) -> [String] {
        witness.events.entries.compactMap { if case .peersUnchecked(let reason) = $0 { reason } else { nil } }
    }

    @Test("The proxy reports the missing check once and requires credentials")
    func proxy() async throws {
        try await Fixture.with(loader) {
            $0.peerUser = { _ in .unknown(ENOSYS) }
        } _: { fixture in
            for _ in 0..<2 {
                let peer = try await fixture.connect()
                try await peer.send("CONNECT shop.test:443 HTTP/1.1\r\nHost: shop.test\r\n\r\n")
                #expect(try await peer.answer().status == 407)
                #expect(try await peer.rest() == [])
            }
            let known = try await fixture.open()
            #expect(try await known.get("/").text == "ok")
            #expect(fixture.loader.requests.count == 1)
            #expect(reasons(fixture.witness) == [String(cString: strerror(ENOSYS))])
        }
    }

    @Test("The local server reports the missing check once and requires its token")
    func server() async throws {
        try await SiteFixture.with(loader) {
            $0.peerUser = { _ in .unknown(EPERM) }
        } _: { fixture in
            for _ in 0..<2 {
                let peer = try await fixture.open()
                #expect(try await fixture.get("/", from: peer, fields: "").status == 403)
            }
            #expect(fixture.loader.requests == [])
            let known = try await fixture.open()
            #expect(try await fixture.get("/", from: known).text == "ok")
            #expect(reasons(fixture.witness) == [String(cString: strerror(EPERM))])
        }
    }

    @Test("Nothing is reported if the system reports the user")
    func checked() async throws {
        try await Fixture.with(loader) { fixture in
            let known = try await fixture.open()
            #expect(try await known.get("/").text == "ok")
            #if os(Linux)
                #expect(reasons(fixture.witness) == [])
            #endif
        }
    }
}
