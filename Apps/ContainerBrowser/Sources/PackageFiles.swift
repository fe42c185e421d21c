// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// A package on disk: the archive, and the manifest that `h5 pack` wrote beside it.
struct PackageFiles: Sendable, Hashable {
    let archive: String
    let manifest: String

    init(archive: String) throws {
        self.archive = archive
        manifest = (archive as NSString).deletingPathExtension + ".json"
        for file in [archive, manifest] where !FileManager.default.isReadableFile(atPath: file) {
            throw CommandError(.noInput, code: "no-input", "no such file", at: file)
        }
    }
}
