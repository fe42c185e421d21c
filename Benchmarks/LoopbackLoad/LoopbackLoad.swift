// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import NIOCore
internal import NIOPosix

/// Requests one file from one server over TLS on many persistent connections, and prints the latencies.
///
/// With a rate, each request has a due time, and its latency counts from that time. The latencies therefore include the
/// delay of requests that wait for a slow response. Without a rate, each connection sends a request after each
/// response.
@main
struct LoopbackLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback-load", abstract: "A load of requests for Scripts/bench-loopback.")

    @Option(help: "The https URL to request, with a path.")
    var url: String

    @Option(help: "The port on 127.0.0.1: of the proxy with a user name, otherwise of the server.")
    var port: Int

    @Option(help: "The user name for the SOCKS5 proxy.")
    var username: String?

    @Option(help: "The password for the SOCKS5 proxy.")
    var password: String?

    @Option(
        help: ArgumentHelp(
            "The only accepted server certificate (DER). The file may be created during the first connection.",
            valueName: "file"))
    var certificate: String

    @Option(help: "The size of the file in bytes.")
    var bytes: Int

    @Option(help: "The number of connections.")
    var connections = 500

    @Option(help: "The total number of requests per second; unlimited by default.")
    var rate: Double?

    @Option(help: "The duration in seconds.")
    var duration: Double

    @Option(help: "The number of client threads.")
    var threads = 1

    func validate() throws {
        guard connections > 0, duration > 0, rate.map({ $0 > 0 }) ?? true, threads > 0, 1...65_535 ~= port else {
            throw ValidationError("connections, rate, duration, threads and port must be positive")
        }
        guard (username == nil) == (password == nil) else {
            throw ValidationError("a user name requires a password, and the reverse")
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
