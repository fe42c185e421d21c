// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

/// Feeds a file, or the bytes that a file unpacks to, to libarchive.
///
/// libarchive keeps a pointer to it: the handle that owns both frees the archive first.
final class LibarchiveSource {
    private let file: InputFile
    /// What the file unpacks to; `nil` where libarchive is given the file itself.
    private let stream: (any ByteStreaming)?
    /// The most bytes that may be read from ``stream``.
    private let limit: Int64
    private let buffer: UnsafeMutableRawBufferPointer
    /// What libarchive was given last.
    private var last: Range<Int64> = 0..<0
    private var position: Int64 = 0
    /// Why a read failed; libarchive itself reports only that it did.
    private(set) var failure: PackageError?

    var path: String { file.path }
    var size: Int64 { file.size }

    /// Feeds the file itself.
    init(_ file: InputFile) {
        self.file = file
        stream = nil
        limit = .max
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    /// Feeds what a file unpacks to, and no more of it than an archive within the limits can have.
    init(_ file: InputFile, unpackedBy stream: any ByteStreaming, limits: ArchiveLimits) {
        self.file = file
        self.stream = stream
        // Headers of an entry in a tar: its own of 512 bytes, and room for the extended ones of long names.
        let (headers, tooMany) = Int64(max(limits.maxEntries, 0)).multipliedReportingOverflow(by: 8 << 10)
        let (most, tooLarge) = max(limits.maxTotalBytes, 0).addingReportingOverflow(headers)
        limit = tooMany || tooLarge || most > .max - Self.padding ? .max : most + Self.padding
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// The most zeros that may follow the end of a tar: tape drives have large blocks.
    private static let padding: Int64 = 1 << 20

    /// Connects the source, and returns libarchive's status.
    func open(_ archive: OpaquePointer) -> CInt {
        archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_read_callback(archive) { _, context, bytes in
            LibarchiveSource.from(context)?.read(bytes) ?? -1
        }
        if stream == nil {
            archive_read_set_seek_callback(archive) { _, context, offset, whence in
                LibarchiveSource.from(context)?.seek(offset, whence) ?? Int64(ARCHIVE_FATAL)
            }
            archive_read_set_skip_callback(archive) { _, context, count in
                LibarchiveSource.from(context)?.skip(count) ?? 0
            }
        }
        return archive_read_open1(archive)
    }

    /// Reads a stream to its end, which is where its checksum is. Behind an archive there may only be zeros: whoever
    /// reads on after the end of a tar would see other files.
    /// - Parameter end: how many bytes the archive has.
    /// - Throws: ``PackageError``, or `CancellationError` when the current task was cancelled.
    func drain(from end: Int64) throws {
        guard stream != nil else { return }
        var start = max(end, last.lowerBound)
        while !last.isEmpty {
            try Task.checkCancellation()
            let rest = buffer[Int(min(start, last.upperBound) - last.lowerBound)..<last.count]
            guard rest.allSatisfy({ $0 == 0 }) else {
                throw PackageError(.overlap, "bytes behind the end of the archive", at: path)
            }
            guard last.upperBound - end <= Self.padding else {
                throw PackageError(.tooLarge, "more than \(Self.padding) bytes behind the end of the archive", at: path)
            }
            start = last.upperBound
            guard read(nil) >= 0 else {
                throw failure ?? PackageError(.io, "read failed", at: path)
            }
        }
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LibarchiveSource? {
        context.map { Unmanaged<LibarchiveSource>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        do {
            let count = try stream?.read(into: buffer) ?? file.read(into: buffer, at: position)
            bytes?.pointee = UnsafeRawPointer(buffer.baseAddress)
            last = position..<(position + Int64(count))
            position = last.upperBound
            guard position <= limit else {
                throw PackageError(.tooLarge, "unpacks to more than \(limit) bytes, headers included", at: path)
            }
            return count
        } catch {
            failure = error as? PackageError ?? PackageError(.io, "read failed", at: file.path, cause: error)
            return -1
        }
    }

    private func seek(_ offset: Int64, _ whence: CInt) -> Int64 {
        // The values of SEEK_SET, SEEK_CUR and SEEK_END are fixed by POSIX in all but letter.
        let base: Int64 = whence == 1 ? position : whence == 2 ? file.size : 0
        let (target, overflow) = base.addingReportingOverflow(offset)
        guard !overflow, target >= 0 else { return Int64(ARCHIVE_FATAL) }
        position = target
        return target
    }

    private func skip(_ count: Int64) -> Int64 {
        let skipped = max(0, min(count, file.size - position))
        position += skipped
        return skipped
    }
}
