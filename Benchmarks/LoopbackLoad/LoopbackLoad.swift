// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import NIOCore
internal import NIOPosix

/// Asks one server for one file over TLS, on many connections that are kept, and prints what it took.
///
/// With a rate, each request has its time, and latency counts from there: a server that falls behind cannot hide it by
/// holding up who asks. Without one each connection asks again as soon as it has its answer.
@main
struct LoopbackLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback-load", abstract: "A load of requests for Scripts/bench-loopback.")

    @Option(help: "What is asked for: https, a host and a path.")
    var url: String

    @Option(help: "The port on 127.0.0.1, of the proxy where there is a user name, else of the server.")
    var port: Int

    @Option(help: "Of the SOCKS5 proxy.")
    var username: String?

    @Option(help: "Of the SOCKS5 proxy.")
    var password: String?

    @Option(
        help: ArgumentHelp(
            "The server's certificate (DER): no other is taken. It may come while the first connection is made.",
            valueName: "file"))
    var certificate: String

    @Option(help: "The bytes of the file.")
    var bytes: Int

    @Option(help: "How many connections there are.")
    var connections = 500

    @Option(help: "Requests per second in all; without it as many as there can be.")
    var rate: Double?

    @Option(help: "In seconds.")
    var duration: Double

    @Option(help: "Threads of the load's own.")
    var threads = 1

    func validate() throws {
        guard connections > 0, duration > 0, rate.map({ $0 > 0 }) ?? true, threads > 0, 1...65_535 ~= port else {
            throw ValidationError("connections, rate, duration, threads and port are positive")
        }
        guard (username == nil) == (password == nil) else {
            throw ValidationError("a user name and a password go together")
        }
    }

    func run() async throws {
        let threads = MultiThreadedEventLoopGroup(numberOfThreads: threads)
        let result: Result<LoadResult, any Error>
        do {
            let target = try LoadTarget(
                url: url, port: port, credentials: username.flatMap { name in password.map { (name, $0) } },
                certificate: certificate, bytes: bytes)
            result = .success(
                try await Load(target: target, connections: connections, rate: rate, duration: duration)
                    .run(on: threads))
        } catch {
            result = .failure(error)
        }
        try? await threads.shutdownGracefully()
        try CommandOutput.result(json: result.get())
    }

    static func main() async {
        await CommandRunner.run(LoopbackLoad.self)
    }
}
