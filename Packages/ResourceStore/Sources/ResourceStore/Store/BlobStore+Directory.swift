// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The store's directory, addressed by its path.
extension BlobStore {
    /// Creates a directory and its missing parents, private to this user. An existing directory is left unchanged.
    /// - Returns: the path without symbolic links.
    static func makeDirectory(_ path: String) throws -> String {
        try StoreError.mappingSystem { try FileSystem.makeDirectory(path) }
        return try resolve(path)
    }

    /// Returns the absolute path without symbolic links.
    static func resolve(_ path: String) throws -> String {
        try StoreError.mappingSystem { try FileSystem.resolve(path) }
    }

    /// Returns the number of bytes that this user can still write to the file system of `path`.
    static func freeBytes(at path: String) throws -> Int64 {
        try StoreError.mappingSystem { try FileSystem.freeBytes(at: path) }
    }

    /// Excludes a directory from backups, and makes its files readable from the first unlock of the device on. Pages
    /// open in the background too, while the device is locked. Files that are created in the directory later inherit
    /// both attributes.
    ///
    /// Does nothing on Linux.
    static func excludeFromBackup(_ path: String) throws {
        #if canImport(Darwin)
            do {
                var url = URL(filePath: path, directoryHint: .isDirectory)
                var values = URLResourceValues()
                values.isExcludedFromBackup = true
                try url.setResourceValues(values)
                #if !os(macOS)
                    try FileManager.default.setAttributes(
                        [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication], ofItemAtPath: path)
                #endif
            } catch {
                throw StoreError(.io, "cannot set the attributes of the directory", at: path, cause: error)
            }
        #endif
    }
}
