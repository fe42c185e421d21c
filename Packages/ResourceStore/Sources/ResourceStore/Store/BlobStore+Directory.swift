// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

/// The store's directory, by its path.
extension BlobStore {
    /// Makes a directory, private to this user, and those above it; one that exists is left unchanged.
    /// - Returns: its path without symbolic links.
    static func makeDirectory(_ path: String) throws -> String {
        try SystemError.mapping {
            try FileSystem.makeDirectory(path)
        } to: {
            StoreError($0)
        }
        return try resolve(path)
    }

    /// The absolute path without symbolic links.
    static func resolve(_ path: String) throws -> String {
        try SystemError.mapping {
            try FileSystem.resolve(path)
        } to: {
            StoreError($0)
        }
    }

    /// The number of bytes that this user may still write to the file system of `path`.
    static func freeBytes(at path: String) throws -> Int64 {
        try SystemError.mapping {
            try FileSystem.freeBytes(at: path)
        } to: {
            StoreError($0)
        }
    }

    /// Keeps a directory out of backups, and its files readable once the device was unlocked after a start, also while
    /// it is locked: pages open in the background too. Files made in it later inherit both.
    ///
    /// Linux has neither.
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
