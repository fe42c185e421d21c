// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Finds names that collide: equal ones, ones that only case or Unicode form tells apart, and a file that is
/// a folder elsewhere.
struct PathIndex {
    private var files: Set<String> = []
    private var folders: Set<String> = []

    /// Adds a file.
    /// - Throws: ``PackageError`` with code `duplicateEntry`.
    mutating func insert(_ path: ArchivePath) throws {
        let key = UnicodeForm.folded(path.description)
        guard files.insert(key).inserted else {
            throw PackageError(.duplicateEntry, "name that occurs twice, case aside", at: path.description)
        }
        guard !folders.contains(key) else {
            throw PackageError(.duplicateEntry, "name that is a file and a folder", at: path.description)
        }
        try insertFolders(of: key, path)
    }

    /// Adds a folder that an archive lists; it may come any number of times.
    mutating func insertFolder(_ path: ArchivePath) throws {
        let key = UnicodeForm.folded(path.description)
        guard !files.contains(key) else {
            throw PackageError(.duplicateEntry, "name that is a file and a folder", at: path.description)
        }
        folders.insert(key)
        try insertFolders(of: key, path)
    }

    private mutating func insertFolders(of key: String, _ path: ArchivePath) throws {
        var rest = key[...]
        while let slash = rest.utf8.lastIndex(of: UInt8(ascii: "/")) {
            rest = rest[..<slash]
            let folder = String(rest)
            guard !files.contains(folder) else {
                throw PackageError(.duplicateEntry, "name that is a file and a folder", at: path.description)
            }
            // Whoever added this folder added those above it too.
            guard folders.insert(folder).inserted else { return }
        }
    }
}
