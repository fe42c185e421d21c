// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import NIOHTTP1
import Testing

@testable import LoopbackServer

@Suite("Request framing", .timeLimit(.minutes(1)))
struct RequestFramingTests {
    private func head(_ fields: [(String, String)], version: HTTPVersion = .http1_1) -> HTTPRequestHead {
        HTTPRequestHead(version: version, method: .POST, uri: "/", headers: HTTPHeaders(fields))
    }

    @Test("A request has one length, one coding, or no body")
    func right() throws {
        #expect(try RequestFraming(head([])) == .none)
        #expect(try RequestFraming(head([("Content-Length", "0")])) == .none)
        #expect(try RequestFraming(head([("Content-Length", "17")])) == .length(17))
        #expect(try RequestFraming(head([("content-length", "9223372036854775807")])) == .length(.max))
        #expect(try RequestFraming(head([("Content-Length", " \t017 ")])) == .length(17))
        #expect(try RequestFraming(head([("Transfer-Encoding", "chunked")])) == .chunked)
        #expect(try RequestFraming(head([("Transfer-Encoding", "chunked \t")])) == .chunked)
        #expect(try RequestFraming(head([("transfer-encoding", "Chunked")])) == .chunked)
        #expect(try RequestFraming(head([("Content-Length", "5")], version: .http1_0)) == .length(5))
    }

    @Test(
        "Ambiguous framing is refused",
        arguments: [
            [("Transfer-Encoding", "chunked"), ("Content-Length", "3")],
            [("Content-Length", "3"), ("Content-Length", "3")], [("Content-Length", "3"), ("Content-Length", "4")],
            [("Content-Length", "3, 3")], [("Content-Length", "+3")], [("Content-Length", "-3")],
            [("Content-Length", "0x3")], [("Content-Length", "3 3")], [("Content-Length", "")],
            [("Content-Length", "9223372036854775808")], [("Content-Length", "٣")],
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "chunked")],
            [("Transfer-Encoding", "chunked"), ("Transfer-Encoding", "identity")],
        ] as [[(String, String)]])
    func wrong(fields: [(String, String)]) {
        #expect { try RequestFraming(head(fields)) } throws: { ($0 as? RequestFault)?.status == .badRequest }
    }

    @Test(
        "Unknown transfer codings are not implemented",
        arguments: ["identity", "gzip, chunked", "chunked, identity", "xchunked", "chunked;q=1", "chunked\u{0B}", ""])
    func codings(coding: String) {
        #expect { try RequestFraming(head([("Transfer-Encoding", coding)])) } throws: {
            ($0 as? RequestFault)?.status == .notImplemented
        }
    }

    @Test("HTTP versions other than 1.x are refused")
    func versions() {
        for version in [HTTPVersion(major: 0, minor: 9), .http2, .http3] {
            #expect(throws: RequestFault.self) { try RequestFraming(head([], version: version)) }
        }
        #expect(throws: RequestFault.self) {
            try RequestFraming(head([("Transfer-Encoding", "chunked")], version: .http1_0))
        }
    }

    @Test("A request needs one Host and known expectations")
    func checks() throws {
        let host = ("Host", "shop.test")
        try RequestFraming.check(head([host, ("Expect", "100-Continue"), ("X-Name", "v\t\u{E9}")]))
        try RequestFraming.check(head([], version: .http1_0))
        for fields in [[], [host, host]] {
            #expect { try RequestFraming.check(head(fields)) } throws: { ($0 as? RequestFault)?.status == .badRequest }
        }
        #expect { try RequestFraming.check(head([host, ("Expect", "200-ok")])) } throws: {
            ($0 as? RequestFault)?.status == .expectationFailed
        }
    }
}
