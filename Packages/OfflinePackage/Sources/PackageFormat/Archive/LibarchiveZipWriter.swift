// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    internal import SystemSupport
    #if canImport(Glibc)
        internal import Glibc
    #else
        internal import Musl
    #endif
#endif

/// A writer of zips that uses libarchive.
///
/// Equal entries in equal order give equal bytes. Clock, time zone, locale and user have no influence.
///
/// All entries have the time 1980-01-01, mode 0644 and user 0, so that only names and bytes determine the result.
/// libarchive does not know a checksum in advance, so each entry has a data descriptor. The central directory has all
/// sizes and checksums.
///
/// Isolation: a writer blocks its thread.
@_spi(Packaging) public struct LibarchiveZipWriter: Sendable {
    /// Creates a writer.
    public init() {}

    /// Writes an archive to a path that does not exist yet, and syncs it to disk.
    ///
    /// On an error the file is removed.
    /// - Parameters:
    ///   - archive: a path in the file system.
    ///   - contents: a closure that adds the entries. If it throws, writing ends and the error is rethrown.
    /// - Throws: ``PackageError``; without the trait `Packaging` or Linux, with code `unsupported`.
    public func write(to archive: String, contents: (LibarchiveWriteHandle) throws -> Void) throws {
        #if Packaging && os(Linux)
            let descriptor = try SystemError.mapping {
                try FileIO.open(archive, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
            } to: {
                PackageError($0, "create")
            }
            var isOpen = true
            do {
                try UTF8Locale.during {
                    let handle = try LibarchiveWriteHandle(descriptor: descriptor, path: archive)
                    try contents(handle)
                    try handle.finish()
                }
                try SystemError.mapping {
                    try FileIO.sync(descriptor)
                } to: {
                    PackageError($0, "sync", at: archive)
                }
                isOpen = false
                guard close(descriptor) == 0 else { throw PackageError(SystemError("close", at: archive)) }
            } catch {
                if isOpen { close(descriptor) }
                unlink(archive)
                throw error
            }
        #else
            throw PackageError(.unsupported, Self.requirement, at: archive)
        #endif
    }

    /// The message of the code `unsupported`.
    static let requirement = "writing a zip needs libarchive: the trait Packaging, on Linux"
}
