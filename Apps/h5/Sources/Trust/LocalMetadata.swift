// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// The metadata of a local repository, under URLs that no network has.
struct LocalMetadata: Sendable {
    /// The URL below which the metadata is (RFC 6761, section 6.4).
    static let url = "https://repository.invalid/"

    let folder: String

    /// Returns the bytes of a document, or `nil` if there is none.
    func document(at url: String, upTo limit: Int) throws -> Data? {
        let name = url.dropFirst(Self.url.count)
        // Names of roles are encoded, so that no name has a slash.
        guard url.hasPrefix(Self.url), !name.contains("/"),
            let file = FileHandle(forReadingAtPath: "\(folder)/\(name)")
        else { return nil }
        do {
            return try file.read(upToCount: limit + 1) ?? Data()
        } catch {
            throw CommandError(.io, code: "io", "the file cannot be read", at: "\(folder)/\(name)")
        }
    }
}
