// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ArgumentParser
internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedUpdate

/// The options of `h5 verify` for signed releases.
struct SignatureOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The file of root metadata from a trusted source, such as the one that the app ships.", valueName: "root"))
    var trustedRoot: String?

    @Option(
        help: ArgumentHelp(
            "The metadata of the repository: a folder, or a base URL of http or https.", valueName: "dir-or-url"),
        transform: Source.init)
    var metadata: Source?

    @Option(
        help: ArgumentHelp(
            "The time at which metadata must not have expired; the system's clock by default.", valueName: "RFC3339"),
        transform: RFC3339Date.argument)
    var now: Date?

    /// The place of metadata.
    enum Source: Sendable {
        case folder(String)
        /// A base URL without slashes at its end.
        case url(String)

        init(_ text: String) throws {
            self = text.contains("://") ? .url(try TrustCommand.baseURL(text)) : .folder(text)
        }
    }

    /// A Boolean value that indicates whether signatures are verified.
    var areGiven: Bool { trustedRoot != nil }

    func validate() throws {
        guard (trustedRoot == nil) == (metadata == nil) else {
            throw ValidationError("--trusted-root and --metadata need each other")
        }
        guard now == nil || areGiven else { throw ValidationError("--now needs --trusted-root and --metadata") }
    }

    /// Verifies the metadata of the repository from the trusted root, and the bytes of a manifest by its target.
    /// - Throws: `TrustError`; ``CommandError`` with ``ExitStatus/refused`` if no role lists the release, and for a
    ///   failed request.
    func verify(_ manifest: PackageManifest, _ bytes: Data) async throws {
        guard let trustedRoot, let metadata else { return }
        let root = try TrustCommand.root(at: trustedRoot)
        // A folder of its own: the command trusts the given root only, whatever an earlier one has seen.
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("h5-\(UUID().uuidString)").path
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
        } catch {
            throw CommandError(.io, code: "io", "the folder cannot be created", at: directory)
        }
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try TrustedRepository.resetTrust(to: root, folder: directory)
        let path = "\(manifest.id)/\(manifest.version).json"
        let target: TrustedTarget?
        switch metadata {
        case .folder(let folder):
            let metadata = LocalMetadata(folder: folder)
            target = try await Self.target(
                path, now,
                TrustedRepository(folder: directory, metadataURL: LocalMetadata.url) { url, limit in
                    try metadata.document(at: url, upTo: limit)
                })
        case .url(let url):
            target = try await DocumentClient.with { client in
                try await Self.target(
                    path, now,
                    TrustedRepository(folder: directory, metadataURL: url) { url, limit in
                        try await client.document(at: url, upTo: limit)
                    })
            }
        }
        guard let target else {
            throw CommandError(.refused, code: "no-target", "no role lists the release", at: path)
        }
        try target.verify(bytes)
    }

    private static func target(
        _ path: String, _ now: Date?, _ repository: TrustedRepository
    ) async throws -> TrustedTarget? {
        try await repository.refresh(now: now ?? Date()).target(path)
    }
}
