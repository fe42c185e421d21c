// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
@_spi(Packaging) internal import PackageFormat
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
/// `__MACOSX` are skipped too. So are a source map beside its file, because it contains the sources, and a compressed
/// copy of a file, because the container does not negotiate content codings. Links and devices are errors.
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
    let exclusions: [SiteGlob]

    /// The content of a site.
    struct Listing {
        /// The files in the order of their paths.
        var files: [File] = []
        var skipped: [PackageBuilder.SkippedFile] = []
        /// A Boolean value that indicates whether the root has a file `_headers`.
        var hasHeaders = false
        /// The exclusions that match nothing.
        var unused: [SiteGlob] = []
    }

    /// Lists the site.
    func list() throws -> Listing {
        let site = try SystemError.mapping {
            try FileStatus(path: root, followsLinks: true)
        } to: {
            $0.number == ENOENT
                ? PackageError(.noInput, "no such folder", at: root) : PackageError($0, "open the site")
        }
        guard site.kind == .directory else {
            throw PackageError(.noInput, "the site is not a folder", at: root)
        }
        var listing = Listing()
        var used: Set<SiteGlob> = []
        // The folders that are still to be listed, relative to the root.
        var pending = [""]
        while let folder = pending.popLast() {
            try Task.checkCancellation()
            for name in try names(in: folder) {
                let relative = folder.isEmpty ? name : "\(folder)/\(name)"
                func skip(_ reason: PackageBuilder.SkippedFile.Reason) {
                    listing.skipped.append(.init(path: relative, reason: reason))
                }
                if Self.isHidden(name) {
                    used.formUnion(exclusions.filter { $0.matches(relative, isFolder: true) })
                    skip(.hidden)
                    continue
                }
                let location = "\(root)/\(relative)"
                let status = try SystemError.mapping {
                    try FileStatus(path: location, followsLinks: false)
                } to: {
                    PackageError($0)
                }
                let matching = exclusions.filter { $0.matches(relative, isFolder: status.kind == .directory) }
                if !matching.isEmpty {
                    used.formUnion(matching)
                    skip(.excluded)
                    continue
                }
                switch status.kind {
                case .file where relative == HeadersFile.name: listing.hasHeaders = true
                case .file:
                    if let reason = Self.derivation(of: location) {
                        skip(reason)
                        continue
                    }
                    let path = try ArchivePath(relative, limits: limits)
                    listing.files.append(File(path: path, location: location, size: status.size))
                case .directory:
                    // The path is validated, which also limits the depth of the walk.
                    _ = try ArchivePath(relative, limits: limits)
                    pending.append(relative)
                case .symbolicLink, .other:
                    throw PackageError(.specialFile, "the site contains a link or a device", at: location)
                }
                guard listing.files.count <= limits.maxEntries else {
                    throw PackageError(.tooMany, "the site has more than \(limits.maxEntries) files", at: root)
                }
            }
        }
        guard !listing.files.isEmpty else { throw PackageError(.noInput, "the site contains no files", at: root) }
        listing.files.sort { $0.path < $1.path }
        listing.skipped.sort { $0.path < $1.path }
        listing.unused = exclusions.filter { !used.contains($0) }
        return listing
    }

    private static func isHidden(_ name: String) -> Bool {
        guard name != ".well-known" else { return false }
        return name.utf8.first == UInt8(ascii: ".") || ["Thumbs.db", "desktop.ini", "__MACOSX"].contains(name)
    }

    /// Returns the reason for which a file is skipped that was derived from another file in its folder, or `nil`.
    private static func derivation(of location: String) -> PackageBuilder.SkippedFile.Reason? {
        let reasons: [(suffix: String, reason: PackageBuilder.SkippedFile.Reason)] = [
            (".map", .sourceMap), (".br", .compressedCopy), (".gz", .compressedCopy), (".zst", .compressedCopy),
        ]
        let bytes = location.utf8
        guard
            let (suffix, reason) = reasons.first(where: {
                bytes.suffix($0.suffix.utf8.count).elementsEqual($0.suffix.utf8)
            })
        else { return nil }
        let original = String(Substring(bytes.dropLast(suffix.utf8.count)))
        return (try? FileStatus(path: original, followsLinks: false))?.kind == .file ? reason : nil
    }

    private func names(in folder: String) throws -> [String] {
        let path = folder.isEmpty ? root : "\(root)/\(folder)"
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw PackageError(.io, "the folder cannot be listed", at: path, cause: error)
        }
    }
}
