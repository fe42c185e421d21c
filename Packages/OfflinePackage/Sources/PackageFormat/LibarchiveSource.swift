// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CArchive

/// Feeds a file to libarchive.
///
/// libarchive keeps a pointer to it: the handle that owns both frees the archive first.
final class LibarchiveSource {
    private let file: InputFile
    private let buffer: UnsafeMutableRawBufferPointer
    private var position: Int64 = 0
    /// Why a read failed; libarchive itself reports only that it did.
    private(set) var failure: PackageError?

    var path: String { file.path }
    var size: Int64 { file.size }

    init(_ file: InputFile) {
        self.file = file
        buffer = .allocate(byteCount: 64 << 10, alignment: 16)
    }

    deinit {
        buffer.deallocate()
    }

    /// Connects the file, and returns libarchive's status.
    func open(_ archive: OpaquePointer) -> CInt {
        archive_read_set_callback_data(archive, Unmanaged.passUnretained(self).toOpaque())
        archive_read_set_read_callback(archive) { _, context, bytes in
            LibarchiveSource.from(context)?.read(bytes) ?? -1
        }
        archive_read_set_seek_callback(archive) { _, context, offset, whence in
            LibarchiveSource.from(context)?.seek(offset, whence) ?? Int64(ARCHIVE_FATAL)
        }
        archive_read_set_skip_callback(archive) { _, context, count in
            LibarchiveSource.from(context)?.skip(count) ?? 0
        }
        return archive_read_open1(archive)
    }

    private static func from(_ context: UnsafeMutableRawPointer?) -> LibarchiveSource? {
        context.map { Unmanaged<LibarchiveSource>.fromOpaque($0).takeUnretainedValue() }
    }

    private func read(_ bytes: UnsafeMutablePointer<UnsafeRawPointer?>?) -> Int {
        do {
            let count = try file.read(into: buffer, at: position)
            bytes?.pointee = UnsafeRawPointer(buffer.baseAddress)
            position += Int64(count)
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
