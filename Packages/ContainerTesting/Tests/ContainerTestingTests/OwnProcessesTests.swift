// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import Foundation
    import NIOCore
    import Testing

    @testable import ContainerTesting

    /// The processes that a shaped proxy serves, and those that inherit its sockets.
    @Suite("Processes of a shaped proxy", .timeLimit(.minutes(1)))
    struct OwnProcessesTests {
        /// Sends a request that is not for a proxy, and prints the response.
        private static let request = """
            exec 3<>/dev/tcp/127.0.0.1/$1; printf 'GET / HTTP/1.1\\r\\nConnection: close\\r\\n\\r\\n' >&3; cat <&3
            """
        /// Sends it from a process whose parent has ended, so that it is no descendant of the test.
        private static let orphan = """
            (me=$BASHPID; while [ "$(cut -d' ' -f4 /proc/$me/stat)" = $$ ]; do :; done; \(request)) &
            """

        /// Runs a script of bash with the port of a proxy, and returns what it and its children print until they end.
        private func output(of script: String, port: Int) async throws -> String {
            try await withCheckedThrowingContinuation { continuation in
                Thread.detachNewThread {
                    continuation.resume(
                        with: Result {
                            let process = Process()
                            let pipe = Pipe()
                            process.executableURL = URL(fileURLWithPath: "/bin/bash")
                            process.arguments = ["-c", script, "bash", "\(port)"]
                            process.standardOutput = pipe
                            process.standardError = FileHandle.nullDevice
                            try process.run()
                            return String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
                        })
                }
            }
        }

        @Test("A child is served, and another process is not")
        func admission() async throws {
            let proxy = try await ShapedProxy.start(profile: .none)
            #expect(try await output(of: Self.request, port: proxy.port).hasPrefix("HTTP/1.1 400 "))
            #expect(proxy.counters.refused == 0)
            #expect(try await output(of: Self.orphan, port: proxy.port).isEmpty)
            #expect(proxy.counters.refused == 1)
            await proxy.stop()
        }

        @Test(
            "A child that connects by an IPv6 socket is served",
            .enabled(if: FileManager.default.fileExists(atPath: "/proc/net/tcp6"), "the kernel has no IPv6"))
        func mappedAddress() async throws {
            let proxy = try await ShapedProxy.start(profile: .none)
            let request = Self.request.replacing("/127.0.0.1/", with: "/::ffff:127.0.0.1/")
            #expect(try await output(of: request, port: proxy.port).hasPrefix("HTTP/1.1 400 "))
            #expect(proxy.counters.refused == 0)
            await proxy.stop()
        }

        @Test("A start without the table of connections fails with an error of one line")
        func missingTable() throws {
            try OwnProcesses.requireTable()
            let error = #expect(throws: ContainerTestingError.self) {
                try OwnProcesses.requireTable("/proc/net/missing")
            }
            #expect(error?.code == .cannotListen && error?.location == "/proc/net/missing")
        }

        @Test("The socket of an open connection of this process is found, and none for other ports")
        func sockets() async throws {
            try await withTCPServer(echo) { port in
                let client = try await connect(to: port)
                let near = try #require(client.channel.localAddress?.port)
                try await client.executeThenClose { _, _ in
                    let socket = try #require(OwnProcesses.socket(from: near, to: port))
                    #expect(OwnProcesses.owns(socket))
                }
                #expect(OwnProcesses.socket(from: port, to: 1) == nil && !OwnProcesses.owns(0))
            }
        }

        @Test("Programs that the process starts inherit no socket of a proxy or a server")
        func inheritance() async throws {
            try await withOrigin(OriginServer.Configuration()) { server async throws in
                let proxy = try await ShapedProxy.start(profile: .none)
                try await PlainProxyClient.with(proxy: proxy.port) { client async throws in
                    #expect(try await client.sendRequest(server.url + "/").status == 404)
                    let flags = Self.flags(ofSocketsAt: [proxy.port, server.port])
                    #expect(flags.count >= 3 && flags.allSatisfy { $0 & FD_CLOEXEC != 0 }, "\(flags)")
                }
                await proxy.stop()
            }
        }

        /// Returns the descriptor flags of the sockets of this process that are bound to a port.
        private static func flags(ofSocketsAt ports: [Int]) -> [CInt] {
            (CInt(0)..<4_096).compactMap { descriptor -> CInt? in
                var address = sockaddr_in()
                var size = socklen_t(MemoryLayout<sockaddr_in>.size)
                let result = withUnsafeMutablePointer(to: &address) { pointer in
                    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
                }
                guard result == 0, address.sin_family == sa_family_t(AF_INET),
                    ports.contains(Int(UInt16(bigEndian: address.sin_port)))
                else { return nil }
                return fcntl(descriptor, F_GETFD)
            }
        }
    }
#endif
