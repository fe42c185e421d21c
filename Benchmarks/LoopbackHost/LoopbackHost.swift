// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import PackageFormat
internal import PackagePublisher
internal import ResourceLoading

/// A program with a container in `loopbackProxy` mode, a package of one file, and a ``StandInEngine``.
///
/// Another process sends the requests. The program prints the address of the proxy and serves requests until it is
/// terminated.
@main
struct LoopbackHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback-host", abstract: "A container's proxy for Scripts/bench-loopback.")

    private static let base = "https://bench.example/"

    /// The address of the proxy, printed when the proxy listens.
    private struct Place: Encodable {
        let url: String
        let port: Int
        let username: String
        let password: String
    }

    /// The counts of the served requests, printed at the end.
    private struct Served: Encodable {
        var requests = 0
        /// The number of responses by source.
        var sources: [String: Int] = [:]
    }

    @Option(help: ArgumentHelp("An empty folder for the container.", valueName: "dir"))
    var folder: String

    @Option(help: ArgumentHelp("The file to pack.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "The file to which the host's certificate (DER) is written.", valueName: "file"))
    var certificate: String

    func run() async throws {
        let name = URL(fileURLWithPath: file).lastPathComponent
        let site = folder + "/site"
        try FileManager.default.createDirectory(atPath: site, withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: file, toPath: "\(site)/\(name)")
        let package = try PackageBuilder().build(
            site, id: PackageID("bench"), version: PackageVersion("1"), baseURL: PackageBaseURL(Self.base),
            output: folder + "/package")
        let (place, served) = try await serve(package.archive, package.manifest, name)
        try CommandOutput.result(json: place)
        try CommandOutput.result(json: await served())
    }

    @MainActor
    private func serve(
        _ archive: String, _ manifest: String, _ name: String
    ) async throws -> (Place, @MainActor () async -> Served) {
        var configuration = ContainerConfiguration(directory: folder + "/container")
        configuration.network.cookies.native = .none
        configuration.network.transport = NoTransport()
        configuration.pages.mode = .loopbackProxy
        let engine = StandInEngine(certificate: URL(fileURLWithPath: certificate))
        let container = try await Container(engine: engine, configuration: configuration)
        try await container.install(archive: archive, manifest: manifest)
        let events = container.events
        guard let proxy = engine.proxy, let credentials = proxy.credentials else {
            throw CommandError(.unavailable, code: "no-proxy", "the container set no proxy", at: folder)
        }
        let place = Place(
            url: Self.base + name, port: proxy.port, username: credentials.username, password: credentials.password)
        return (
            place,
            {
                var served = Served()
                // The program observes events as an app does, until its task is cancelled.
                for await event in events {
                    guard case .request(let record) = event else { continue }
                    served.requests += 1
                    served.sources[record.provenance.map { "\($0.source)" } ?? "none", default: 0] += 1
                }
                await container.shutDown()
                return served
            }
        )
    }

    static func main() async {
        await CommandRunner.run(LoopbackHost.self)
    }
}

/// A transport without a network.
private struct NoTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = .decodes

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        throw ResourceError(.offline, "no network here", at: request.urlText)
    }
}
