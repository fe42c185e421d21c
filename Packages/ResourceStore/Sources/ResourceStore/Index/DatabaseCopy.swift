// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The databases of a read-only store, copied to a temporary folder. The folder is removed with the object.
final class DatabaseCopy: Sendable {
    let folder: PrivateFolder
    /// The cost limit of each access, proportional to the size of the copy.
    let limit: StepLimit

    /// Copies the databases including their logs.
    /// - Returns: `nil` if there is no index.
    /// - Throws: ``StoreError``, or `CancellationError`.
    init?(of root: PrivateFolder, includingBlobs: Bool) throws {
        guard try root.attributes(of: StoreIndex.fileName) != nil else { return nil }
        folder = try Self.makeFolder()
        var bytes: Int64 = 0
        do {
            bytes += try Self.copy(StoreIndex.fileName, from: root, to: folder)
            if includingBlobs {
                bytes += try Self.copy(BlobRows.fileName, from: root, to: folder)
                if try root.status(of: BlobRows.brokenMarker) != nil { try folder.createEmpty(BlobRows.brokenMarker) }
            }
        } catch {
            Self.remove(folder)
            throw error
        }
        limit = .inspection(ofBytes: bytes)
    }

    deinit {
        Self.remove(folder)
    }

    private static func makeFolder() throws -> PrivateFolder {
        // mkdtemp(3) replaces the X's.
        let path = FileManager.default.temporaryDirectory.appending(path: "container-store.XXXXXX").path
        var template = Array(path.utf8CString)
        let made = template.withUnsafeMutableBufferPointer { buffer in
            buffer.baseAddress.flatMap { mkdtemp($0) }.map { String(cString: $0) }
        }
        guard let made else { throw StoreError(SystemError("mkdtemp", at: path)) }
        do {
            guard let folder = try PrivateFolder.open(BlobStore.resolve(made)) else {
                throw StoreError(.io, "the temporary folder was removed", at: made)
            }
            return folder
        } catch {
            rmdir(made)
            throw error
        }
    }

    private static func remove(_ folder: PrivateFolder) {
        for name in (try? folder.names()) ?? [] { try? folder.remove(name) }
        rmdir(folder.path)
    }

    /// Copies a database and its logs.
    /// - Returns: the number of bytes.
    private static func copy(_ name: String, from root: PrivateFolder, to folder: PrivateFolder) throws -> Int64 {
        var bytes: Int64 = 0
        for suffix in DatabaseFile.contentSuffixes {
            guard let source = try root.file(name + suffix) else { continue }
            let size = try source.status().size
            guard size <= (try BlobStore.freeBytes(at: folder.path)) else {
                throw StoreError(.diskFull, "no space for a copy of \(size) bytes of \(source.path)", at: folder.path)
            }
            let target = try folder.create(name + suffix)
            try source.read { piece in
                try Task.checkCancellation()
                try target.write(piece)
                bytes += Int64(piece.count)
            }
        }
        return bytes
    }
}
