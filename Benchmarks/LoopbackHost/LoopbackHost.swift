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

/// A process with a container in the mode `loopbackProxy` and a package of one file, and a stand-in for the engine: the
/// requests come from another process. It prints where, and answers until it is told to end.
@main
struct LoopbackHost: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "loopback-host", abstract: "A container's proxy for Scripts/bench-loopback.")

    private static let base = "https://bench.example/"

    /// What is printed once the proxy listens.
    private struct Place: Encodable {
        let url: String
        let port: Int
        let username: String
        let password: String
    }

    /// What is printed at the end.
    private struct Served: Encodable {
        var requests = 0
        /// By where the answers came from.
        var sources: [String: Int] = [:]
    }

    @Option(help: ArgumentHelp("An empty folder for the container.", valueName: "dir"))
    var folder: String

    @Option(help: ArgumentHelp("The file to pack.", valueName: "file"))
    var file: String

    @Option(
        help: ArgumentHelp(
            "Where the host's certificate (DER) is put when the engine is to trust it.", valueName: "file"))
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
        configuration.network.transport = NoTransport()
        configuration.pages.mode = .loopbackProxy
        let engine = StandInEngine(certificate: URL(fileURLWithPath: certificate))
        let container = try await Container(engine: engine, configuration: configuration)
        try await container.install(archive: archive, manifest: manifest)
        let events = container.events
        guard let proxy = engine.proxy, let credentials = proxy.credentials else {
            throw CommandError(.unavailable, code: "no-proxy", "the engine was told no proxy", at: folder)
        }
        let place = Place(
            url: Self.base + name, port: proxy.port, username: credentials.username, password: credentials.password)
        return (
            place,
            {
                var served = Served()
                // As an app that listens, until the task is cancelled.
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

/// There is no network in this.
private struct NoTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = .decodes

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        throw ResourceError(.offline, "no network here", at: request.urlText)
    }
}
