// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation
internal import SystemSupport
internal import TrustedPublishing

/// The metadata of a local repository, under URLs that no network has.
struct LocalMetadata: Sendable {
    /// The URL below which the metadata is (RFC 6761, section 6.4).
    static let url = "https://repository.invalid/"

    let folder: String

    /// Returns the bytes of a document, or `nil` if there is none.
    /// - Returns: at most one byte more than the limit.
    /// - Throws: `CommandError` with ``ExitStatus/noInput`` if the folder does not exist or has no timestamp;
    ///   `PublishingError` with code `io` if the file cannot be read or is not a regular file.
    func document(at url: String, upTo limit: Int) throws -> Data? {
        let name = url.dropFirst(Self.url.count)
        // Names of roles are encoded, so that no name has a slash.
        guard url.hasPrefix(Self.url), !name.contains("/") else { return nil }
        if let bytes = try FileBytes.prefix(of: "\(folder)/\(name)", limit + 1) { return bytes }
        guard FileSystem.isDirectory(folder), name != "timestamp.json" else {
            throw CommandError(.noInput, code: "no-input", "no folder of metadata with a timestamp", at: folder)
        }
        return nil
    }
}
