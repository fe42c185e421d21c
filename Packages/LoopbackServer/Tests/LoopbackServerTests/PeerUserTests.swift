// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Foundation
    import NIOCore
    import ResourceLoading
    import Testing

    @testable import LoopbackServer

    @Suite("The user of the peer process", .timeLimit(.minutes(1)))
    struct PeerUserTests {
        @Test("This user, and a closed peer")
        func own() async throws {
            try await RawHost.with { host in
                let client = try await Peer.connect(to: host.port)
                let other = try await host.connections.entry(0)
                #expect(PeerUser(of: other.channel) == .own)
                #expect(PeerUser(of: client.channel) == .own)
                // A listener's port has no connections.
                #expect(PeerUser(near: host.port, far: host.port) == .closed)
                // Port 1 has no sockets.
                #expect(PeerUser(near: host.port, far: 1) == .closed)
                // If the kernel finds no socket at this end, the result is unknown.
                #expect(PeerUser(near: 1, far: 1) == .unknown(EOPNOTSUPP))
            }
        }

        @Test("Processes of other users receive no byte", .enabled(if: geteuid() == 0, "requires root"))
        func other() async throws {
            try await Fixture.with(RecordingLoader { _ in .text("ok") }) { fixture in
                let port = try #require(fixture.proxy.port)
                let text = try await Self.run(as: 65_534, asking: port, "GET / HTTP/1.1\\r\\n\\r\\n")
                #expect(text.isEmpty, "\(text)")
                try await fixture.witness.refusal(.otherUser(65_534))
                // A process of this test's user receives a response.
                let own = try await Self.run(as: 0, asking: port, "GET / HTTP/1.1\\r\\n\\r\\n")
                #expect(own.hasPrefix("HTTP/1.1 400 "))
                #expect(fixture.loader.requests == [])
            }
        }

        /// Returns the output of a process of a user that sends `text` to a port.
        private static func run(as user: Int, asking port: Int, _ text: String) async throws -> String {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let script = "exec 3<>/dev/tcp/127.0.0.1/\(port) || exit 3; printf '\(text)' >&3; cat <&3; exit 0"
            process.arguments =
                user == 0
                ? ["bash", "-c", script]
                : ["setpriv", "--reuid=\(user)", "--clear-groups", "bash", "-c", script]
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = FileHandle.nullDevice
            let ended = Gate()
            process.terminationHandler = { _ in ended.open() }
            try process.run()
            try await ended.passed()
            #expect(process.terminationStatus == 0)
            return String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        }
    }
#endif
