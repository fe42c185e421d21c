// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation

@testable import ResourceStore

/// Files by path, as a generation has them.
typealias Site = [String: String]

extension ResourceStore {
    /// Brings in a site's bytes.
    func write(_ site: Site, into batch: BlobBatch) throws -> [StoredEntry] {
        try site.sorted { $0.key < $1.key }.map { path, text in
            var writer = try batch.makeWriter()
            let data = Data(text.utf8)
            // In pieces, as an archive would give them.
            try writer.write(data.prefix(3))
            try writer.write(data.dropFirst(3))
            let blob = try writer.finish(expecting: BlobID(hashing: data))
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

    /// Reads a whole generation back from disk.
    func read(_ generation: Int64) throws -> Site {
        try Dictionary(
            uniqueKeysWithValues: entries(of: generation).map { entry in
                let data = try Data(contentsOf: URL(filePath: blob(entry.blob).path))
                guard BlobID(hashing: data) == entry.blob, data.count == entry.size else {
                    throw StoreError(.damaged, "wrong bytes", at: entry.path)
                }
                return (entry.path, String(decoding: data, as: UTF8.self))
            })
    }

    /// The blobs that are on disk.
    func blobsOnDisk() throws -> Set<BlobID> {
        Set(
            try TemporaryDirectory.files(in: directory + "/blobs").compactMap {
                BlobID(hex: $0.replacing("/", with: ""))
            })
    }
}

func blobs(_ sites: Site...) -> Set<BlobID> {
    Set(sites.flatMap(\.values).map { BlobID(hashing: Data($0.utf8)) })
}

/// The code of the store's error that `body` throws, `nil` where it throws none.
func code(_ body: () throws -> Void) -> StoreError.Code? {
    do {
        try body()
        return nil
    } catch {
        return (error as? StoreError)?.code
    }
}
