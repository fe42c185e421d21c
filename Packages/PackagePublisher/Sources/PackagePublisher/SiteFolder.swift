// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import PackageFormat
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A built site, whose files are found by walking its folders.
///
/// Hidden files do not belong to a site and may contain secrets (`.env`, `.git`, `.DS_Store`). A name that begins
/// with a dot is skipped with everything below it, except `.well-known` (RFC 8615). `Thumbs.db`, `desktop.ini` and
/// `__MACOSX` are skipped too. Links and devices are errors.
struct SiteFolder {
    /// One file of the site.
    struct File {
        let path: ArchivePath
        /// The path in the file system.
        let location: String
        /// The number of bytes when the file was listed.
        let size: Int64
    }

    let root: String
    let limits: ArchiveLimits

    /// Returns the files in the order of their paths, and the skipped names.
    func files() throws -> (files: [File], skipped: [String]) {
        let site = try SystemError.mapping {
            try FileStatus(path: root, followsLinks: true)
        } to: {
            $0.number == ENOENT
                ? PackageError(.noInput, "no such folder", at: root) : PackageError($0, "open the site")
        }
        guard site.kind == .directory else {
            throw PackageError(.noInput, "the site is not a folder", at: root)
        }
        var files: [File] = []
        var skipped: [String] = []
        // The folders that are still to be listed, relative to the root.
        var pending = [""]
        while let folder = pending.popLast() {
            try Task.checkCancellation()
            for name in try list(folder) {
                let relative = folder.isEmpty ? name : "\(folder)/\(name)"
                if Self.isSkipped(name) {
                    skipped.append(relative)
                    continue
                }
                let location = "\(root)/\(relative)"
                let status = try SystemError.mapping {
                    try FileStatus(path: location, followsLinks: false)
                } to: {
                    PackageError($0)
                }
                switch status.kind {
                case .file:
                    let path = try ArchivePath(relative, limits: limits)
                    files.append(File(path: path, location: location, size: status.size))
                case .directory:
                    // The path is validated, which also limits the depth of the walk.
                    _ = try ArchivePath(relative, limits: limits)
                    pending.append(relative)
                case .symbolicLink, .other:
                    throw PackageError(.specialFile, "the site contains a link or a device", at: location)
                }
                guard files.count <= limits.maxEntries else {
                    throw PackageError(.tooMany, "the site has more than \(limits.maxEntries) files", at: root)
                }
            }
        }
        guard !files.isEmpty else { throw PackageError(.noInput, "the site contains no files", at: root) }
        return (files.sorted { $0.path < $1.path }, skipped.sorted())
    }

    static func isSkipped(_ name: String) -> Bool {
        guard name != ".well-known" else { return false }
        return name.hasPrefix(".") || ["Thumbs.db", "desktop.ini", "__MACOSX"].contains(name)
    }

    private func list(_ folder: String) throws -> [String] {
        let path = folder.isEmpty ? root : "\(root)/\(folder)"
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw PackageError(.io, "the folder cannot be listed", at: path, cause: error)
        }
    }
}
