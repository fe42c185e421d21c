// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

#if Packaging && os(Linux)
    internal import CArchive
    internal import SystemSupport

    /// A libarchive write handle for a zip, which is freed with the last reference.
    ///
    /// It is not `Sendable` and exists only during one call of ``LibarchiveZipWriter``, which owns the descriptor.
    @_spi(Packaging) public final class LibarchiveWriteHandle {
        private let archive: OpaquePointer
        private let path: String
        private var current: (name: String, missing: Int64)?
        private var isFinished = false

        init(descriptor: CInt, path: String) throws {
            guard let archive = archive_write_new() else {
                throw PackageError(.io, "libarchive is out of memory", at: path)
            }
            self.archive = archive
            self.path = path
            try check(archive_write_set_format_zip(archive))
            // Padding is disabled, because the end record must end the file.
            try check(archive_write_set_bytes_in_last_block(archive, 1))
            try check(archive_write_open_fd(archive, descriptor))
        }

        deinit {
            // Without this call, `archive_write_free` would complete an abandoned archive.
            if !isFinished { archive_write_fail(archive) }
            archive_write_free(archive)
        }

        /// Ends the previous entry and begins an entry of exactly `size` bytes.
        public func begin(_ path: ArchivePath, size: Int64, method: ZipMethod) throws {
            try endEntry()
            guard size >= 0, let entry = archive_entry_new() else {
                throw PackageError(.io, "libarchive is out of memory", at: path.description)
            }
            defer { archive_entry_free(entry) }
            // As bytes in the thread's UTF-8 locale. The function for UTF-8 text would compose the characters of the
            // name.
            archive_entry_set_pathname(entry, path.description)
            archive_entry_set_filetype(entry, 0o100000)
            archive_entry_set_perm(entry, 0o644)
            archive_entry_set_size(entry, size)
            // Without times libarchive writes the earliest DOS date, which does not depend on the time zone.
            switch method {
            case .stored: try check(archive_write_zip_set_compression_store(archive))
            case .deflated: try check(archive_write_zip_set_compression_deflate(archive))
            }
            current = (path.description, size)
            try check(archive_write_header(archive, entry))
        }

        /// Appends bytes to the entry.
        public func append(_ data: Data) throws {
            guard let (name, missing) = current, Int64(data.count) <= missing else {
                throw PackageError(.mismatch, "the entry has more bytes than declared", at: current?.name)
            }
            current = (name, missing - Int64(data.count))
            try data.withUnsafeBytes { bytes in
                var rest = bytes
                while !rest.isEmpty {
                    let count = archive_write_data(archive, rest.baseAddress, rest.count)
                    guard count > 0 else { throw failure() }
                    rest = UnsafeRawBufferPointer(rebasing: rest[min(count, rest.count)...])
                }
            }
        }

        /// Writes the central directory.
        func finish() throws {
            try endEntry()
            isFinished = true
            try check(archive_write_close(archive))
        }

        private func endEntry() throws {
            guard let (name, missing) = current else { return }
            guard missing == 0 else {
                throw PackageError(.mismatch, "the entry has \(missing) bytes fewer than declared", at: name)
            }
            try check(archive_write_finish_entry(archive))
            current = nil
        }

        private func check(_ status: CInt) throws {
            guard status == ARCHIVE_OK else { throw failure() }
        }

        private func failure() -> PackageError {
            let message =
                archive_error_string(archive).map { String(cString: $0) } ?? "libarchive failed without a message"
            return PackageError(.io, message.printable(limit: 200), at: current?.name ?? path)
        }
    }
#else
    /// A handle of which no instance exists, because there is no libarchive.
    ///
    /// It is a class, because the compiler reports code that uses an enumeration without cases.
    @_spi(Packaging) public final class LibarchiveWriteHandle {
        private init() {}

        /// Throws ``PackageError`` with code `unsupported`.
        public func begin(_ path: ArchivePath, size _: Int64, method _: ZipMethod) throws {
            throw PackageError(.unsupported, LibarchiveZipWriter.requirement, at: path.description)
        }

        /// Throws ``PackageError`` with code `unsupported`.
        public func append(_: Data) throws {
            throw PackageError(.unsupported, LibarchiveZipWriter.requirement)
        }
    }
#endif
