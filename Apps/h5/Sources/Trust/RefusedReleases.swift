// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import PackageFormat
internal import TrustedPublishing
internal import TrustedUpdate

/// The releases of a repository that devices refuse or ignore.
enum RefusedReleases {
    /// Reads the metadata of a repository like a device, but also accepts metadata that has expired.
    /// - Parameter root: the published root.
    /// - Returns: the targets, or `nil` with a warning if devices refuse all of the metadata, such as that of an
    ///   interrupted change.
    static func read(in repository: String, root: MetadataDocument) async throws -> [RefusedTarget]? {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("h5-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: directory) }
        do {
            try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
            try TrustedRepository.resetTrust(to: root.bytes, folder: directory)
            let metadata = LocalMetadata(folder: repository + "/metadata")
            let client = TrustedRepository(folder: directory, metadataURL: LocalMetadata.url) { url, limit in
                try metadata.document(at: url, upTo: limit)
            }
            return try await client.refresh(now: .distantPast).refusals()
        } catch let error as CancellationError {
            throw error
        } catch {
            let reason = (error as? TrustError)?.message ?? "\(error)"
            CommandOutput.log("warning: releases that devices refuse are not known: \(reason)")
            return nil
        }
    }

    /// The number of targets with a warning of their own.
    private static let maxWarnings = 10

    /// Warns of targets. A team can list many of them.
    /// - Returns: the texts of the warnings.
    @discardableResult
    static func warn(of targets: [RefusedTarget]) -> [String] {
        var warnings = targets.prefix(maxWarnings).map(\.warning)
        if targets.count > maxWarnings {
            warnings.append("h5 status lists \(targets.count - maxWarnings) more targets that devices do not use")
        }
        for warning in warnings { CommandOutput.log("warning: \(warning)") }
        return warnings
    }

    /// Warns of the targets of a package, and of those that devices ignore in its role, after a change of the folder.
    /// - Returns: the texts of the warnings.
    @discardableResult
    static func warn(
        of package: PackageID, in role: String, folder: RepositoryFolder, root: MetadataDocument
    ) async throws -> [String] {
        let refused = try await read(in: folder.path, root: root) ?? []
        return warn(of: refused.filter { $0.package == package || $0.package == nil && $0.role == role })
    }
}

extension RefusedTarget {
    /// One line of text.
    var line: String { "\(path) in the role \(role): \(package == nil ? "ignored" : "refused"), \(reason)" }

    /// The text of a warning.
    var warning: String {
        package.map { "devices do not update \($0) because of \(path) in the role \(role): \(reason)" }
            ?? "devices ignore \(path) in the role \(role): \(reason)"
    }
}
