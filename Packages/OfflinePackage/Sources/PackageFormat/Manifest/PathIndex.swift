// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An index that detects colliding paths: equal ones, ones that differ only in case or Unicode form, and files that
/// are also folders.
struct PathIndex {
    private var files: Set<String> = []
    private var folders: Set<String> = []

    /// Inserts a file.
    /// - Throws: ``PackageError`` with code `duplicateEntry`.
    mutating func insert(_ path: ArchivePath) throws {
        let key = UnicodeForm.folded(path.description)
        guard files.insert(key).inserted else {
            throw PackageError(.duplicateEntry, "the path occurs twice, ignoring case", at: path.description)
        }
        guard !folders.contains(key) else {
            throw PackageError(.duplicateEntry, "the path is a file and a folder", at: path.description)
        }
        try insertFolders(of: key, path)
    }

    /// Inserts a folder that an archive lists. A folder may occur several times.
    mutating func insertFolder(_ path: ArchivePath) throws {
        let key = UnicodeForm.folded(path.description)
        guard !files.contains(key) else {
            throw PackageError(.duplicateEntry, "the path is a file and a folder", at: path.description)
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
                throw PackageError(.duplicateEntry, "the path is a file and a folder", at: path.description)
            }
            // If the folder is already in the index, its parent folders are too.
            guard folders.insert(folder).inserted else { return }
        }
    }
}
