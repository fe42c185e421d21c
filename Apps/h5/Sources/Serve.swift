// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
@_spi(Packaging) internal import ContainerTesting
internal import Foundation
internal import HTTPTypes
@_spi(Packaging) internal import PackageFormat

/// The command `h5 serve`, which serves a folder over a shaped network with injected faults until SIGINT or SIGTERM.
struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serves a folder on 127.0.0.1, over a shaped network and with injected faults.",
        discussion: """
            Prints its URL when it accepts connections, and serves until SIGINT or SIGTERM.

            Names that begin with a dot are not served, except .well-known. A request whose Host is not localhost, a \
            name below it, 127.0.0.0/8 or [::1] gets status 421. A path with an escaped slash, or with an empty \
            segment or a dot as a segment, gets 404, because no file of a package has it.

            A file _headers in the root of the folder adds response fields to files and to 404 responses, as \
            `h5 pack` puts them into a package; see `h5 pack --help`. It is read again for each request, and is not \
            served. Redirects have no such fields.

            Without --rtt, --down and --up the network is not shaped.

            A fault is KIND:/PATH. * in the path matches any characters. Separate several faults by commas:
              reset:/a.js          resets the connection at once
              reset=1000:/a.js     resets the connection after 1000 bytes
              stall:/a.js          sends nothing
              stall=1000:/a.js     stops sending after 1000 bytes
              status=503:/a.js     responds with another status
              truncate=1000:/a.js  ends the connection after 1000 bytes
              delay=2000:/*        responds after 2000 milliseconds
            """,
        version: ProgramVersion.current)

    @Argument(help: ArgumentHelp("The folder to serve.", valueName: "dir"))
    var folder: String

    // Unconditional parsing lets the error for a value such as `--rtt -5` state the permitted range.

    @Option(
        parsing: .unconditional, help: "The port to listen on; 0, the default, lets the system choose.",
        transform: NumberOption.integer("a port", in: 0...65_535))
    var port = 0

    @Option(
        parsing: .unconditional, help: ArgumentHelp("The network's round-trip time in milliseconds.", valueName: "ms"),
        transform: NumberOption.integer("a round trip in milliseconds", in: 0...60_000))
    var rtt: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The bandwidth to all clients together in kbit/s.", valueName: "kbit"),
        transform: NumberOption.integer("a bandwidth in kbit/s", in: 1...10_000_000))
    var down: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The bandwidth from all clients together in kbit/s.", valueName: "kbit"),
        transform: NumberOption.integer("a bandwidth in kbit/s", in: 1...10_000_000))
    var up: Int?

    @Option(
        help: ArgumentHelp("The fault to inject. Repeatable.", valueName: "spec"),
        transform: { text in
            do {
                _ = try Fault.parse(text)
                return text
            } catch let error as ContainerTestingError {
                throw ValidationError(error.message)
            }
        })
    var fault: [String] = []

    @Flag(help: "Use TLS with a new certificate. The authority's certificate is printed to standard error.")
    var tls = false

    @Flag(help: "Print the URL and the port as JSON.")
    var json = false

    /// The maximum number of warnings on standard error. A last line has the number of the others.
    private static let warningLimit = 20

    func run() async throws {
        // An invalid file is refused before the server starts, as `h5 pack` refuses it.
        let headers = try HeadersFile.read(inFolder: folder)
        for warning in headers?.warnings(limit: Self.warningLimit) ?? [] {
            CommandOutput.log("warning: \(warning) (\(HeadersFile.name))")
        }
        let server: OriginServer
        do {
            server = try await OriginServer.start(try serverConfiguration())
        } catch let error as ContainerTestingError {
            // All commands use this code for a missing folder.
            let code = error.code == .noSuchFolder ? "no-input" : "\(error.code)"
            throw CommandError(Self.status(of: error.code), code: code, error.message, at: error.location ?? folder)
        }
        do {
            try announce(server)
        } catch {
            await server.stop()
            throw error
        }
        await Self.untilCancelled()
        await server.stop()
    }

    /// Waits until a signal cancels the command's task.
    private static func untilCancelled() async {
        for await _ in AsyncStream<Never>.makeStream().stream {}
    }

    private func serverConfiguration() throws -> OriginServer.Configuration {
        var configuration = OriginServer.Configuration(folder: folder)
        configuration.port = port
        configuration.usesTLS = tls
        configuration.refusesForeignHosts = true
        configuration.fieldSource = OriginServer.FieldSource(fileName: HeadersFile.name) { path, folder in
            try HeadersFile.read(inFolder: folder)?.rules.fields(of: path) ?? [:]
        }
        configuration.profile = try NetworkProfile(
            roundTrip: .milliseconds(rtt ?? 0), downKilobits: down, upKilobits: up)
        configuration.faults = try fault.flatMap { try Fault.parse($0) }
        return configuration
    }

    private func announce(_ server: OriginServer) throws {
        if json {
            try CommandOutput.result(json: Announcement(url: server.url, port: server.port))
        } else {
            try CommandOutput.result(server.url)
        }
        server.authorityPEM?.split(separator: "\n").forEach { CommandOutput.log(String($0)) }
    }

    private static func status(of code: ContainerTestingError.Code) -> ExitStatus {
        switch code {
        case .invalidFault, .invalidProfile: .usage
        case .noSuchFolder: .noInput
        case .portInUse, .cannotListen: .unavailable
        default: .internalError
        }
    }

    private struct Announcement: Encodable {
        let url: String
        let port: Int
    }
}
