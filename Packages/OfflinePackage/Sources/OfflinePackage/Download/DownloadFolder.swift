// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import PackageFormat
@_spi(Facade) internal import ResourceStore
internal import SystemSupport

/// The folder `downloads/` of a store, with partial files and their records.
///
/// ```
/// <SHA-256 of the URL>.part      the bytes
/// <SHA-256 of the URL>.json      a ``DownloadRecord``
/// <SHA-256 of the URL>.ranges    ranges of an archive at their offsets; never resumed
/// ```
struct DownloadFolder: Sendable {
    private static let recordLimit = 16 << 10
    private static let rangesSuffix = ".ranges"
    let path: String

    func partial(of key: String) -> String { "\(path)/\(key).part" }
    func ranges(of key: String) -> String { "\(path)/\(key)\(Self.rangesSuffix)" }
    private func recordName(of key: String) -> String { "\(key).json" }

    static func key(of url: String) -> String { SHA256Digest(of: Data(url.utf8)).hex }

    /// Creates the folder if it does not exist.
    /// - Throws: ``DeliveryError``, also if a symbolic link or a folder of another user has its name.
    func make() throws {
        do {
            try FileSystem.makeDirectory(path)
            _ = try folder()
        } catch {
            throw DeliveryError(Self.code(of: error), "the folder cannot be created", at: path, cause: error)
        }
    }

    /// Returns a descriptor of the folder, or `nil` if it does not exist.
    private func folder() throws -> PrivateFolder? { try PrivateFolder.open(path, followsLink: false) }

    /// Returns the number of bytes of a partial file, or 0 if it does not exist.
    func partialBytes(of key: String) -> Int64 {
        Self.file(partial(of: key))?.size ?? 0
    }

    /// Returns the status of a regular file, or `nil` if it does not exist.
    private static func file(_ path: String) -> FileStatus? {
        guard let status = try? FileStatus(path: path, followsLinks: false), status.kind == .file else { return nil }
        return status
    }

    /// Returns the record of a download, or `nil` if it does not exist or is not valid.
    func readRecord(of key: String) -> DownloadRecord? {
        guard let data = try? folder()?.contents(of: recordName(of: key), upTo: Self.recordLimit) else { return nil }
        return try? JSONDecoder().decode(DownloadRecord.self, from: data)
    }

    func write(_ content: DownloadRecord, of key: String) throws {
        do {
            // The replacement is atomic: after a kill the old or the new record exists.
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

    /// Removes a download, if it exists.
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

    /// Removes all files of ranges except those of some keys.
    /// - Returns: the total size of the removed files in bytes. It includes holes, which occupied no space.
    func removeRanges(but keys: Set<String>) -> Int64 {
        removeFiles { name, _ in
            name.hasSuffix(Self.rangesSuffix) && !keys.contains(String(name.dropLast(Self.rangesSuffix.count)))
        }
    }

    func removeRecord(of key: String) {
        unlinkFiles(recordName(of: key))
    }

    /// Removes every download whose record and bytes have not changed since `date`.
    ///
    /// A record is written when the download begins, and the bytes whenever data arrives.
    /// - Returns: the number of bytes that were freed.
    func removeFiles(notChangedSince date: Date) -> Int64 {
        func isOlder(_ status: FileStatus) -> Bool {
            // Times are compared in whole seconds, because some file systems have no finer times.
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

/// The JSON record of a partial file, which allows a later process to resume the download.
struct DownloadRecord: Sendable, Hashable, Codable {
    var url: String
    /// The strong validator of the representation, or `nil` if the server sent none.
    var validator: RangeValidator?
    /// The size of the archive, or `nil` if the server did not send it.
    var total: Int64?
    /// The digest of the archive, or `nil` if the manifest does not declare it.
    var sha256: SHA256Digest?

    private enum CodingKeys: String, CodingKey {
        case url, validator, total, sha256
    }

    /// A Boolean value that indicates whether the download can be resumed.
    ///
    /// Without a validator and a digest, bytes of two representations could be mixed without an error.
    var isResumable: Bool { validator != nil || sha256 != nil }
}
