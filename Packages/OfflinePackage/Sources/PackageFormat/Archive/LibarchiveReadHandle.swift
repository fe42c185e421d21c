// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive
internal import Foundation
internal import SystemSupport

/// An archive that libarchive has open, freed when the last reference goes.
///
/// Not `Sendable`: lives and dies within one call of ``LibarchiveReader``.
final class LibarchiveReadHandle {
    /// What libarchive says of an entry before its bytes.
    struct Header {
        enum Kind {
            case file
            case folder
            case special
        }

        var kind: Kind
        /// `nil` where it is not UTF-8.
        var name: String?
        var size: Int64?

        var printableName: String { (name ?? "?").printable(limit: 200) }
    }

    private let archive: OpaquePointer
    private let source: LibarchiveSource
    private let limits: ArchiveLimits
    /// Bytes handed out for all entries.
    private var total: Int64 = 0
    /// Counts entries, so that a reader that outlived its entry is noticed.
    private var serial = 0

    /// - Parameter enable: switches on the formats and filters, and returns libarchive's status.
    init(_ source: LibarchiveSource, limits: ArchiveLimits, enable: (OpaquePointer) -> CInt) throws {
        guard let archive = archive_read_new() else {
            throw PackageError(.io, "libarchive has no memory", at: source.path)
        }
        self.archive = archive
        self.source = source
        self.limits = limits
        // From here on deinit frees the archive. A filter that would need another program gives a warning.
        guard enable(archive) == ARCHIVE_OK else {
            throw PackageError(.unsupported, "libarchive was built without this format", at: source.path)
        }
        guard source.open(archive) == ARCHIVE_OK else { throw failure() }
    }

    deinit {
        archive_read_free(archive)
    }

    /// The next entry, or `nil` at the end of the archive.
    func next() throws -> Header? {
        try Task.checkCancellation()
        serial += 1
        var entry: OpaquePointer?
        switch archive_read_next_header(archive, &entry) {
        case ARCHIVE_OK: break
        case ARCHIVE_EOF: return nil
        // A warning means that something of the entry was lost, such as its name.
        default: throw failure()
        }
        guard let entry else { throw failure() }
        // A filter, and the file beneath it: whoever nests compression wants to hide something.
        guard archive_filter_count(archive) <= 2 else {
            throw PackageError(.unsupported, "compressed more than once", at: source.path)
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

    /// Lets `visit` read the current entry, then reads and checks what it left.
    func visit(
        _ entry: ArchiveEntry, _ visit: (ArchiveEntry, inout any ArchiveEntryReading) throws -> Void
    ) throws {
        var reader: any ArchiveEntryReading = LibarchiveEntryReader(
            handle: self, serial: serial, name: entry.path.description, expected: entry.size)
        try visit(entry, &reader)
        // Not through `reader`: the visitor may have put another one into it.
        var rest = LibarchiveEntryReader(
            handle: self, serial: serial, name: entry.path.description, expected: entry.size)
        while try rest.next() != nil {}
    }

    /// Bytes of the current entry handed out so far.
    private var done: (serial: Int, bytes: Int64, isEnded: Bool) = (0, 0, false)

    /// The next bytes of the entry with number `serial`.
    func read(_ serial: Int, name: String, expected: Int64?) throws -> Data? {
        try Task.checkCancellation()
        guard serial == self.serial else {
            throw PackageError(.io, "an entry was read after its visit had ended", at: name)
        }
        if done.serial != serial { done = (serial, 0, false) }
        guard !done.isEnded else { return nil }
        // One byte more than announced, so that a longer entry is seen at once.
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

    /// Bytes of the current entry as they come, without limits; 0 at the end.
    func readRaw(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
        let count = archive_read_data(archive, buffer.baseAddress, buffer.count)
        guard count >= 0 else { throw failure() }
        return count
    }

    /// Reads what follows the archive in its file, and checks that it is nothing. Call at the archive's end.
    func drain() throws {
        try source.drain(from: archive_filter_bytes(archive, 0))
    }

    private func failure(at name: String? = nil) -> PackageError {
        if let error = source.failure { return error }
        let message = archive_error_string(archive).map { String(cString: $0) } ?? "libarchive failed without a word"
        let isCut = message.lowercased().contains("truncated")
        return PackageError(isCut ? .truncated : .damaged, message.printable(limit: 200), at: name ?? source.path)
    }
}
