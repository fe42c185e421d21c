// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContentDigest
import Foundation
import SystemSupport

@testable import ResourceStore

/// The files of a generation by path.
typealias Site = [String: String]

extension BlobStore.Configuration {
    /// A configuration with rows and files even for short sites: blobs of more than eight bytes are files.
    static let mixed = Self(smallBlobLimit: 8)
    /// A configuration in which every nonempty blob is a file.
    static let files = Self(smallBlobLimit: 0)
}

extension BlobStore {
    /// Writes a site's bytes to a batch.
    func write(_ site: Site, into batch: BlobBatch) throws -> [StoredEntry] {
        try site.sorted { $0.key < $1.key }.map { path, text in
            var writer = try batch.makeWriter()
            let data = Data(text.utf8)
            // Written in chunks, like the entries of an archive.
            try writer.write(data.prefix(3))
            try writer.write(data.dropFirst(3))
            let blob = try writer.finish(expecting: SHA256Digest(of: data))
            return StoredEntry(path: path, blob: blob, size: Int64(data.count), mediaType: "text/plain")
        }
    }

    @discardableResult
    func stage(_ site: Site, package: String = "shop", version: String) throws -> Int64 {
        let batch = makeBatch()
        let entries = try write(site, into: batch)
        return try stage(
            package: package, version: version, metadata: Data("about \(version)".utf8), entries: entries, from: batch
        ).number
    }

    @discardableResult
    func install(_ site: Site, package: String = "shop", version: String) throws -> Int64 {
        let number = try stage(site, package: package, version: version)
        try activate(number)
        return number
    }

    /// Reads a whole generation from disk.
    func read(_ generation: Int64) throws -> Site {
        try Dictionary(
            uniqueKeysWithValues: entries(of: generation).map { entry in
                let data = try bytes(of: entry.blob, size: entry.size)
                guard SHA256Digest(of: data) == entry.blob, data.count == entry.size else {
                    throw StoreError(.damaged, "wrong bytes", at: entry.path)
                }
                return (entry.path, String(decoding: data, as: UTF8.self))
            })
    }

    func putResource(_ text: String, for key: String) throws {
        try putResource(Data(text.utf8), for: key, mediaType: "text/plain", validator: "md5 of \(text)")
    }

    /// Reads every resource from disk.
    func readResources() throws -> Site {
        try Dictionary(
            uniqueKeysWithValues: resources().map { resource in
                (resource.key, String(decoding: try bytes(of: resource.blob, size: resource.size), as: UTF8.self))
            })
    }

    /// Returns the bytes of a blob, from a row or a file.
    func bytes(of id: SHA256Digest, size: Int64? = nil) throws -> Data {
        switch try blob(id, size: size).content {
        case .bytes(let bytes): bytes
        case .file(let file): try Data(contentsOf: URL(filePath: file.path))
        }
    }

    /// Returns the blobs on disk, rows and files.
    func blobsOnDisk() throws -> Set<SHA256Digest> {
        try Set(rows.all().map(\.id)).union(
            TemporaryFolder.files(in: directory + "/blobs").compactMap {
                SHA256Digest(lowerCaseHex: $0.replacing("/", with: ""))
            })
    }

    /// Replaces the bytes of a row with bytes of another digest.
    func overwriteRow(_ id: SHA256Digest, with bytes: Data) throws {
        memory.removeAll()
        let chunk = BlobChunk(capacity: bytes.count)
        _ = chunk.append(bytes, as: id)
        try rows.write(chunk)
    }
}

extension FileStatus {
    /// The status of a regular file, or `nil` if there is none.
    static func file(_ path: String) -> FileStatus? {
        (try? FileStatus(path: path, followsLinks: false)).flatMap { $0.kind == .file ? $0 : nil }
    }

    static func setModificationTime(of path: String, to time: Int64) {
        let (seconds, rest) = time.quotientAndRemainder(dividingBy: 1_000_000_000)
        let time = timespec(tv_sec: time_t(seconds), tv_nsec: Int(rest))
        _ = utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW)
    }
}

func blobs(_ sites: Site...) -> Set<SHA256Digest> {
    Set(sites.flatMap(\.values).map { SHA256Digest(of: Data($0.utf8)) })
}

/// Returns the code of the store's error that `body` throws, or `nil` if it throws none.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
