// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if Packaging && os(Linux)
    internal import CArchive

    /// A data source for libarchive: a file, or the decompressed bytes of a file.
    ///
    /// libarchive has an unretained pointer to the source. ``LibarchiveReadHandle`` owns the source and frees the
    /// archive first.
    final class LibarchiveSource {
        private let file: InputFile
        /// The decompressed bytes of the file, or `nil` if libarchive reads the file itself.
        private let stream: (any ByteStreaming)?
        /// The scanner of a tar's headers, or `nil` if libarchive reads the file itself.
        private var scanner: TarScanner?
        /// The maximum number of bytes to read from ``stream``.
        private let limit: Int64
        private let buffer: UnsafeMutableRawBufferPointer
        /// The range of bytes that libarchive received last.
        private var last: Range<Int64> = 0..<0
        private var position: Int64 = 0
        /// The error of a failed read, because libarchive only reports that a read failed.
        private(set) var failure: PackageError?

        var path: String { file.path }
        var size: Int64 { file.size }

        /// Creates a source of the bytes of a file.
        init(_ file: InputFile) {
            self.file = file
            stream = nil
            limit = .max
            buffer = .allocate(byteCount: 64 << 10, alignment: 16)
        }

        /// Creates a source of the decompressed bytes of a file. It fails after more bytes than an archive within the
        /// limits has.
        init(_ file: InputFile, unpackedBy stream: any ByteStreaming, limits: ArchiveLimits) {
            self.file = file
            self.stream = stream
            scanner = TarScanner(location: file.path)
            // Each entry of a tar may have a header of 512 bytes and extended headers for long names.
            let (headers, tooMany) = Int64(max(limits.maxEntries, 0)).multipliedReportingOverflow(by: 8 << 10)
            let (most, tooLarge) = max(limits.maxTotalBytes, 0).addingReportingOverflow(headers)
            limit = tooMany || tooLarge || most > .max - Self.padding ? .max : most + Self.padding
            buffer = .allocate(byteCount: 64 << 10, alignment: 16)
        }

        deinit {
            buffer.deallocate()
        }

        /// The maximum number of zeros after the end of a tar. Tar programs pad archives to the block size of tape
        /// drives.
        private static let padding: Int64 = 1 << 20

        /// Connects the source and returns libarchive's status.
        func open(_ archive: OpaquePointer) -> CInt {
            archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
            archive_read_set_read_callback(archive) { _, context, bytes in
                LibarchiveSource.from(context)?.read(bytes) ?? -1
            }
            return archive_read_open1(archive)
        }

        /// Reads a stream to its end, which verifies its checksum.
        ///
        /// Only zeros may follow the archive, because a reader that continues after the end of a tar would read other
        /// files.
        /// - Parameter end: the number of bytes of the archive.
        /// - Throws: ``PackageError``, or `CancellationError` if the current task is cancelled.
        func drain(from end: Int64) throws {
            guard stream != nil else { return }
            var start = max(end, last.lowerBound)
            while !last.isEmpty {
                try Task.checkCancellation()
                let rest = buffer[Int(min(start, last.upperBound) - last.lowerBound)..<last.count]
                guard rest.allSatisfy({ $0 == 0 }) else {
                    throw PackageError(.overlap, "bytes after the end of the archive", at: path)
                }
                guard last.upperBound - end <= Self.padding else {
                    throw PackageError(
                        .tooLarge, "more than \(Self.padding) bytes after the end of the archive", at: path)
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
                try scanner?.append(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                guard position <= limit else {
                    throw PackageError(.tooLarge, "unpacks to more than \(limit) bytes, headers included", at: path)
                }
                return count
            } catch {
                failure = error as? PackageError ?? PackageError(.io, "read failed", at: file.path, cause: error)
                return -1
            }
        }
    }
#endif
