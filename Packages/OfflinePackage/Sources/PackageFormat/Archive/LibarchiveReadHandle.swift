// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    internal import CArchive
    internal import Foundation
    internal import SystemSupport

    /// An open libarchive read handle, which is freed with the last reference.
    ///
    /// It is not `Sendable` and exists only during one call of ``LibarchiveTarReader``.
    final class LibarchiveReadHandle {
        /// The header of an entry as libarchive reports it before the data.
        struct Header {
            enum Kind {
                case file
                case folder
                case special
            }

            var kind: Kind
            /// The name, or `nil` if it is not UTF-8.
            var name: String?
            var size: Int64?

            var printableName: String { (name ?? "?").printable(limit: 200) }
        }

        private let archive: OpaquePointer
        private let source: LibarchiveSource
        private let limits: ArchiveLimits
        /// The number of bytes that were read of all entries.
        private var total: Int64 = 0
        /// The number of the current entry, used to detect a reader that outlives its entry.
        private var serial = 0

        /// Creates a handle for a source.
        /// - Parameter enable: a closure that enables formats and filters, and returns libarchive's status.
        init(_ source: LibarchiveSource, limits: ArchiveLimits, enable: (OpaquePointer) -> CInt) throws {
            guard let archive = archive_read_new() else {
                throw PackageError(.io, "libarchive is out of memory", at: source.path)
            }
            self.archive = archive
            self.source = source
            self.limits = limits
            // From here on `deinit` frees the archive. For a filter that needs an external program, libarchive returns
            // a warning, which is an error here.
            guard enable(archive) == ARCHIVE_OK else {
                throw PackageError(
                    .unsupported, "libarchive was built without support for this format", at: source.path)
            }
            guard source.open(archive) == ARCHIVE_OK else { throw failure() }
        }

        deinit {
            archive_read_free(archive)
        }

        /// Returns the header of the next entry, or `nil` at the end of the archive.
        func next() throws -> Header? {
            try Task.checkCancellation()
            serial += 1
            var entry: OpaquePointer?
            switch archive_read_next_header(archive, &entry) {
            case ARCHIVE_OK: break
            case ARCHIVE_EOF: return nil
            // A warning means that libarchive lost a part of the entry, such as its name.
            default: throw failure()
            }
            guard let entry else { throw failure() }
            // The count includes the file itself. Nested compression is rejected.
            guard archive_filter_count(archive) <= 2 else {
                throw PackageError(.unsupported, "the archive is compressed more than once", at: source.path)
            }
            let isLink = archive_entry_hardlink(entry) != nil || archive_entry_symlink(entry) != nil
            let kind: Header.Kind
            switch archive_entry_filetype(entry) {
            case 0o100000 where !isLink: kind = .file
            case 0o040000 where !isLink: kind = .folder
            default: kind = .special
            }
            let name = archive_entry_pathname(entry).flatMap { String(validatingCString: $0) }
            let size = archive_entry_size_is_set(entry) != 0 ? archive_entry_size(entry) : nil
            return Header(kind: kind, name: name, size: size)
        }

        /// Passes the current entry to `visit`, then reads and checks the rest of it.
        func visit(
            _ entry: ArchiveEntry, _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
        ) throws {
            var reader: any ArchiveEntryReading = LibarchiveEntryReader(
                handle: self, serial: serial, name: entry.path.description, expected: entry.size)
            try visit(entry, &reader)
            // `reader` is not used here, because the visitor may have replaced it.
            var rest = LibarchiveEntryReader(
                handle: self, serial: serial, name: entry.path.description, expected: entry.size)
            while try rest.next() != nil {}
        }

        /// The progress of reading the current entry.
        private var done: (serial: Int, bytes: Int64, isEnded: Bool) = (0, 0, false)

        /// Returns the next bytes of the entry with number `serial`, or `nil` at its end.
        func read(_ serial: Int, name: String, expected: Int64?) throws -> Data? {
            try Task.checkCancellation()
            guard serial == self.serial else {
                throw PackageError(.io, "the entry was read after its visit ended", at: name)
            }
            if done.serial != serial { done = (serial, 0, false) }
            guard !done.isEnded else { return nil }
            // One byte more than declared is read to detect an entry that is too long.
            let capacity = expected.map { min(max($0 - done.bytes, 0), Self.chunk - 1) + 1 } ?? Self.chunk
            var data = Data(count: Int(capacity))
            let count = data.withUnsafeMutableBytes { archive_read_data(archive, $0.baseAddress, $0.count) }
            guard count >= 0 else { throw failure(at: name) }
            done.bytes += Int64(count)
            total += Int64(count)
            if let expected, count == 0 ? done.bytes != expected : done.bytes > expected {
                throw PackageError(
                    .damaged, "entry of \(expected) bytes unpacks to \(count == 0 ? "fewer" : "more")", at: name)
            }
            guard total <= limits.maxTotalBytes else {
                throw PackageError(.tooLarge, "unpacks to more than \(limits.maxTotalBytes) bytes", at: name)
            }
            guard !limits.isBomb(total, from: source.size) else {
                throw PackageError(.tooLarge, "unpacks to more than \(limits.maxRatio) times its size", at: name)
            }
            guard count > 0 else {
                done.isEnded = true
                return nil
            }
            return count == data.count ? data : data.prefix(count)
        }

        private static let chunk: Int64 = 256 << 10

        /// Reads bytes of the current entry without limits. Returns 0 at the end.
        func readRaw(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
            let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
            guard count >= 0 else { throw failure() }
            return count
        }

        /// Reads the rest of the file after the end of the archive and checks that it contains only zeros.
        func drain() throws {
            try source.drain(from: archive_filter_bytes(archive, 0))
        }

        private func failure(at name: String? = nil) -> PackageError {
            if let error = source.failure { return error }
            let message =
                archive_error_string(archive).map { String(cString: $0) } ?? "libarchive failed without a message"
            let isCut = message.lowercased().contains("truncated")
            return PackageError(isCut ? .truncated : .damaged, message.printable(limit: 200), at: name ?? source.path)
        }
    }
#endif
