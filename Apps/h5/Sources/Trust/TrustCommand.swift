// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import TrustedUpdate

/// The command `h5 trust`, a client of The Update Framework.
struct TrustCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "trust",
        abstract: "Verifies metadata of The Update Framework (TUF 1.0), and downloads targets that it lists.",
        discussion: """
            init stores the root metadata of a file as trusted, without a check and without a request, and removes \
            the stored timestamp and snapshot. refresh updates root, timestamp, snapshot and targets in the folder of \
            metadata. download refreshes once. Then it fetches each target in order, unless the folder of targets \
            already has it, and stores verified targets only; a target has at most 64 MiB. The name of the file is \
            the target's name with an escape for each character but letters, digits and _.-~. The first failure ends \
            the command. Both folders must exist. No redirect is followed.

            Metadata or a target that is refused ends the command with 77, a missing document or target with 66, and a \
            failed request with 69.

            Without --json, prints one line for each target. With --json, init prints {"initialized":true}, refresh \
            {"refreshed":true}, and download a list of {"bytes","downloaded","path","target"} at the end; downloaded \
            is false for a file that was already there.
            """,
        version: ProgramVersion.current)

    /// The action of the command.
    enum Verb: String, CaseIterable, ExpressibleByArgument {
        case initialize = "init"
        case refresh, download
    }

    @Option(help: ArgumentHelp("The folder of trusted metadata.", valueName: "dir"))
    var metadataDir: String

    @Option(
        help: ArgumentHelp("The base URL of the metadata, for refresh and download.", valueName: "url"),
        transform: baseURL)
    var metadataURL: String?

    @Option(help: ArgumentHelp("The name of a target to download; may be repeated.", valueName: "name"))
    var targetName: [String] = []

    @Option(help: ArgumentHelp("The base URL of the targets.", valueName: "url"), transform: baseURL)
    var targetBaseURL: String?

    @Option(help: ArgumentHelp("The folder of downloaded targets.", valueName: "dir"))
    var targetDir: String?

    @Option(
        help: ArgumentHelp(
            "The time at which metadata must not have expired; the system's clock by default.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var now: Date?

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Argument(help: "init, refresh or download.")
    var verb: Verb

    @Argument(help: ArgumentHelp("The file of the root metadata, for init.", valueName: "root"))
    var root: String?

    /// The action with its values.
    private enum Action {
        case initialize(root: String)
        case refresh(url: String)
        case download([String], from: String, into: String, metadataURL: String)
    }

    private func action() throws -> Action {
        let hasTargets = !targetName.isEmpty || targetBaseURL != nil || targetDir != nil
        guard verb == .download || !hasTargets else { throw ValidationError("only download has options of targets") }
        guard verb == .initialize || root == nil else { throw ValidationError("only init has a file of root metadata") }
        switch verb {
        case .initialize:
            guard let root else { throw ValidationError("init needs a file of root metadata") }
            return .initialize(root: root)
        case .refresh:
            guard let metadataURL else { throw ValidationError("refresh needs --metadata-url") }
            return .refresh(url: metadataURL)
        case .download:
            guard let metadataURL, let targetBaseURL, let targetDir, !targetName.isEmpty else {
                throw ValidationError(
                    "download needs --metadata-url, --target-name, --target-base-url and --target-dir")
            }
            return .download(targetName, from: targetBaseURL, into: targetDir, metadataURL: metadataURL)
        }
    }

    func validate() throws {
        _ = try action()
    }

    func run() async throws {
        switch try action() {
        case .initialize(let path):
            try TrustedRepository.resetTrust(to: Self.root(at: path), folder: metadataDir)
            if json { try CommandOutput.result(json: ["initialized": true]) }
        case .refresh(let url):
            try await DocumentClient.with { client in _ = try await refresh(from: url, with: client) }
            if json { try CommandOutput.result(json: ["refreshed": true]) }
        case .download(let names, let base, let path, let url):
            let folder = try TargetFolder(path)
            let outputs = try await DocumentClient.with { client in
                let targets = try await refresh(from: url, with: client)
                var outputs: [TargetOutput] = []
                for name in names {
                    let output = try await download(name, listedBy: targets, from: base, into: folder, with: client)
                    if !json { try CommandOutput.result(output.line) }
                    outputs.append(output)
                }
                return outputs
            }
            if json { try CommandOutput.result(json: outputs) }
        }
    }

    private func refresh(from url: String, with client: DocumentClient) async throws -> TrustedTargets {
        let repository = TrustedRepository(folder: metadataDir, metadataURL: url) { url, limit in
            try await client.document(at: url, upTo: limit)
        }
        return try await repository.refresh(now: now ?? Date())
    }

    private func download(
        _ name: String, listedBy targets: TrustedTargets, from base: String, into folder: TargetFolder,
        with client: DocumentClient
    ) async throws -> TargetOutput {
        guard let target = try await targets.target(name) else {
            throw CommandError(.noInput, code: "no-target", "no role lists the target", at: name)
        }
        let isPresent = try folder.contains(target)
        if !isPresent {
            let url = "\(base)/\(target.location)"
            guard let data = try await client.document(at: url, upTo: target.length) else {
                throw CommandError(.noInput, code: "not-found", "the server does not have the target", at: url)
            }
            try target.verify(data)
            try folder.write(data, for: target)
        }
        return TargetOutput(
            target: name, path: folder.path(of: target), bytes: target.length, downloaded: !isPresent)
    }

    /// The result of one target.
    private struct TargetOutput: Encodable {
        var target: String
        var path: String
        var bytes: Int
        var downloaded: Bool

        var line: String { "\(target): \(bytes) bytes, \(downloaded ? "downloaded" : "already there")" }
    }

    /// Reads root metadata, which is not verified yet.
    /// - Throws: ``CommandError``; `TrustError` with code `tooLarge`.
    static func root(at path: String) throws -> Data {
        let limit = TrustLimits().rootBytes
        let data = try TableInput.read(path, upTo: limit + 1)
        guard data.count <= limit else {
            throw TrustError(.tooLarge, "the root metadata has more than \(limit) bytes", at: path)
        }
        return data
    }

    /// Returns a base URL without slashes at its end.
    static func baseURL(_ text: String) throws -> String {
        guard let head = HTTPRequest(urlText: text), ["http", "https"].contains(head.scheme),
            !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#"))
        else {
            throw ValidationError("a base URL is one of http or https without a query or a fragment")
        }
        var url = head.urlText
        while url.utf8.last == UInt8(ascii: "/") { url.removeLast() }
        return url
    }
}

extension CommandError {
    /// Creates a command error with the exit status for a failure of trust.
    init(_ error: TrustError) {
        let status: ExitStatus =
            switch error.code {
            case .io: .io
            case .notFound: .noInput
            default: .refused
            }
        self.init(status, code: "\(error.code)", error.message, at: error.location)
    }
}
