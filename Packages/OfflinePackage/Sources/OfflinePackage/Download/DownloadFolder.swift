// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import PackageFormat
internal import ResourceStore
internal import SystemSupport

/// The folder `downloads/` of a store: partial files, and what is known of them.
///
///     <SHA-256 of the URL>.part      the bytes
///     <SHA-256 of the URL>.json      a ``DownloadRecord``
///     <SHA-256 of the URL>.ranges    ranges of an archive, at their places; never gone on with
struct DownloadFolder: Sendable {
    private static let recordLimit = 16 << 10
    private static let rangesSuffix = ".ranges"
    let path: String

    func partial(of key: String) -> String { "\(path)/\(key).part" }
    func ranges(of key: String) -> String { "\(path)/\(key)\(Self.rangesSuffix)" }
    private func recordName(of key: String) -> String { "\(key).json" }

    static func key(of url: String) -> String { SHA256Digest(of: Data(url.utf8)).hex }

    /// Makes the folder, if there is none.
    /// - Throws: ``DeliveryError``, also if a symbolic link or a folder of another user has its name.
    func make() throws {
        do {
            try FileSystem.makeDirectory(path)
            _ = try folder()
        } catch {
            throw DeliveryError(Self.code(of: error), "the folder cannot be made", at: path, cause: error)
        }
    }

    /// The folder as a descriptor; `nil` if there is none.
    private func folder() throws -> PrivateFolder? { try PrivateFolder.open(path, followsLink: false) }

    /// Bytes of a partial file; 0 where there is none.
    func partialBytes(of key: String) -> Int64 {
        Self.file(partial(of: key))?.size ?? 0
    }

    /// The status of a regular file; `nil` where there is none.
    private static func file(_ path: String) -> FileStatus? {
        guard let status = try? FileStatus(path: path, followsLinks: false), status.kind == .file else { return nil }
        return status
    }

    /// What was kept of a download; `nil` where nothing was, or nothing that makes sense.
    func readRecord(of key: String) -> DownloadRecord? {
        guard let data = try? folder()?.contents(of: recordName(of: key), upTo: Self.recordLimit) else { return nil }
        return try? JSONDecoder().decode(DownloadRecord.self, from: data)
    }

    func write(_ content: DownloadRecord, of key: String) throws {
        do {
            // A kill leaves the old one or the new one.
            guard let folder = try folder() else { throw DeliveryError(.io, "the folder was removed", at: path) }
            try folder.replace(recordName(of: key), with: JSONEncoder().encode(content))
        } catch {
            throw DeliveryError(
                Self.code(of: error), "the record cannot be written", at: "\(path)/\(recordName(of: key))", cause: error
            )
        }
    }

    private static func code(of error: any Error) -> DeliveryError.Code {
        (error as? SystemError)?.isOutOfSpace == true || (error as? StoreError)?.code == .diskFull ? .noSpace : .io
    }

    /// Removes a download. What is not there is fine.
    func remove(_ key: String) {
        unlinkFiles("\(key).part", recordName(of: key))
    }

    func removeRanges(of key: String) {
        unlinkFiles(key + Self.rangesSuffix)
    }

    private func unlinkFiles(_ names: String...) {
        guard let folder = try? folder() else { return }
        for name in names { try? folder.remove(name) }
    }

    /// Removes all ranges but those of some keys.
    /// - Returns: how many bytes that gave back, at most: a hole counts as if it were none.
    func removeRanges(but keys: Set<String>) -> Int64 {
        removeFiles { name, _ in
            name.hasSuffix(Self.rangesSuffix) && !keys.contains(String(name.dropLast(Self.rangesSuffix.count)))
        }
    }

    func removeRecord(of key: String) {
        unlinkFiles(recordName(of: key))
    }

    /// Removes every download that was not gone on with since `date`: its record is as old as its beginning, its bytes are
    /// not.
    /// - Returns: how many bytes that gave back.
    func removeFiles(notChangedSince date: Date) -> Int64 {
        func isOlder(_ status: FileStatus) -> Bool {
            // In whole seconds: some file systems have no finer times.
            Double(status.modificationTime / 1_000_000_000) < date.timeIntervalSince1970
        }
        return removeFiles { name, status in
            let key = String(name.prefix { $0 != "." })
            let bytes = try? FileStatus(path: partial(of: key), followsLinks: false)
            return isOlder(status) && bytes.map(isOlder) ?? true
        }
    }

    private func removeFiles(where isUnwanted: (String, FileStatus) -> Bool) -> Int64 {
        var freed: Int64 = 0
        guard let folder = try? folder(), let names = try? folder.names() else { return 0 }
        for name in names {
            guard let status = Self.file("\(path)/\(name)"), isUnwanted(name, status),
                (try? folder.remove(name)) != nil
            else { continue }
            freed += status.size
        }
        return freed
    }
}

/// What is kept beside a partial file, as JSON, so that a later process may go on with it.
struct DownloadRecord: Sendable, Hashable, Codable {
    var url: String
    /// What the server named the representation by, where that was strong.
    var validator: RangeValidator?
    /// The size of the whole, where the server told it.
    var total: Int64?
    /// What the manifest names the whole by.
    var sha256: SHA256Digest?

    private enum CodingKeys: String, CodingKey {
        case url, validator, total, sha256
    }

    /// Whether the bytes that are there may be gone on with. Without a validator the digest of the whole has to tell
    /// in the end whether two representations were mixed.
    var isResumable: Bool { validator != nil || sha256 != nil }
}
