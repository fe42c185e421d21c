// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A package on disk: the archive and the manifest that `h5 pack` wrote next to it.
struct PackageFiles: Sendable, Hashable {
    let archive: String
    let manifest: String

    init(archive: String) throws {
        self.archive = archive
        manifest = (archive as NSString).deletingPathExtension + ".json"
        guard FileManager.default.isReadableFile(atPath: archive) else {
            throw CommandError(.noInput, code: "no-input", "no such file", at: archive)
        }
        guard FileManager.default.isReadableFile(atPath: manifest) else {
            throw CommandError(
                .noInput, code: "no-input",
                "no manifest \((manifest as NSString).lastPathComponent) next to the archive; h5 pack writes it",
                at: archive)
        }
    }
}
