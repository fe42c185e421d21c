// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import NIOCore
import NIOEmbedded
import ResourceLoading
import Testing
import WebSyntax

@testable import LoopbackServer

@Suite("Requests that wait for the response to a slow request", .timeLimit(.minutes(2)))
struct PipeliningTests {
    /// A number of requests whose nested responses would overflow the stack.
    private static let count = 20_000

    private func dependencies(_ loader: RecordingLoader, _ witness: Witness) throws -> ExchangeDependencies {
        ExchangeDependencies(
            loader: loader, completing: HostListPolicy(), observer: witness,
            leaves: LeafStore(try LaunchAuthority(), trusting: Trusting(), limit: 1),
            dialer: Dialer(proxy: nil, timeout: .seconds(1)), limits: LoopbackLimits())
    }

    @Test("All pipelined requests of one read receive their responses in order")
    func row() async throws {
        let gate = Gate()
        var loader = RecordingLoader { _ in
            try await gate.passed()
            return .text("/slow\r\n")
        }
        loader.immediate = { $0.head.path == "/slow" ? nil : .text("\($0.head.path ?? "")\r\n") }
        let witness = Witness()
        let dependencies = try dependencies(loader, witness)
        let channel = try await NIOAsyncTestingChannel { channel in
            try dependencies.serve(channel, .opened(HostPort(host: "shop.test", port: 80), isSecure: false), with: nil)
        }
        try await channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 80)).get()
        let paths = ["/slow"] + (0..<Self.count).map { "/\($0)" }
        let requests = paths.map { "GET \($0) HTTP/1.1\r\nHost: shop.test\r\n\r\n" }.joined()
        try await channel.writeInbound(ByteBuffer(string: requests))
        #expect(witness.reports.entries.isEmpty)
        gate.open()
        _ = try await witness.reports.value("all") { $0.count == paths.count ? true : nil }
        var answers = ByteBuffer()
        while var piece = try await channel.readOutbound(as: ByteBuffer.self) { answers.writeBuffer(&piece) }
        let answered = String(buffer: answers).split(separator: "\r\n").filter { $0.hasPrefix("/") }.map(String.init)
        #expect(answered == paths)
        _ = try await channel.finish()
    }
}
