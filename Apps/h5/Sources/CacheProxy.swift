// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import HTTPCache
internal import HTTPTransport
internal import HTTPTypes
internal import NIOTransport
internal import ResourceLoading
internal import ResourceStore

/// The command `h5 cache-proxy`, which runs the HTTP cache as a reverse proxy until SIGINT or SIGTERM.
struct CacheProxy: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cache-proxy",
        abstract: "Runs a shared HTTP cache (RFC 9111) in front of an origin, on 127.0.0.1.",
        discussion: """
            Prints its URL when it accepts connections, and runs until SIGINT or SIGTERM. A request whose Host is not \
            localhost, a name below it, 127.0.0.0/8 or [::1] gets status 421. A proxy in front of this one must send \
            such a Host.
            """,
        version: ProgramVersion.current)

    @Option(
        help: ArgumentHelp(
            "The origin: http or https, a host, and a port if it is not the default.", valueName: "url"),
        transform: { text in
            guard let origin = HTTPRequest(urlText: text), ["http", "https"].contains(origin.scheme), origin.path == "/"
            else {
                throw ValidationError("an origin is http://HOST or https://HOST, with or without a port")
            }
            return origin
        })
    var upstream: HTTPRequest

    @Option(
        parsing: .unconditional, help: "The port to listen on; 0 lets the system choose.",
        transform: NumberOption.integer("a port", in: 0...65_535))
    var port: Int

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The size of the memory cache.", valueName: "bytes"),
        transform: NumberOption.integer("a number of bytes", in: 0...(1 << 40)))
    var memory = 10 << 20

    @Option(
        help: ArgumentHelp("The folder of a disk cache of at most 100 MB. Default: memory only.", valueName: "dir"))
    var disk: String?

    func run() async throws {
        var settings = AsyncHTTPTransport.Configuration()
        settings.connectionsPerHost = 64
        let transport = AsyncHTTPTransport(settings)
        let cache: CachingLoader
        do {
            cache = try makeCache(before: NetworkLoader(transport))
        } catch {
            try? await transport.shutDown()
            throw error
        }
        let proxy = ReverseProxy(loader: cache, upstream: upstream)
        let result: Result<Void, any Error>
        do {
            result = .success(
                try await proxy.serve(port: port) { port in try CommandOutput.result("http://127.0.0.1:\(port)") })
        } catch {
            result = .failure(error)
        }
        await cache.waitUntilIdle()
        try? await transport.shutDown()
        do {
            try result.get()
        } catch let error as CommandError {
            throw error
        } catch {
            guard !Task.isCancelled else { return }
            throw CommandError(.unavailable, code: "cannot-listen", "\(error)", at: "127.0.0.1:\(port)")
        }
    }

    private func makeCache(before network: NetworkLoader) throws -> CachingLoader {
        guard let disk else { return CachingLoader(next: network, memoryBytes: memory, configuration: .shared) }
        do {
            return try CachingLoader(next: network, memoryBytes: memory, directory: disk, configuration: .shared)
        } catch let error as StoreError {
            let status: ExitStatus = error.code == .inUse ? .unavailable : .io
            throw CommandError(status, code: "\(error.code)", error.message, at: error.location ?? disk)
        }
    }
}
