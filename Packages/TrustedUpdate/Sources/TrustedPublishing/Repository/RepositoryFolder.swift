// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
package import PackageFormat
internal import SystemSupport

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The folder of a repository with consistent snapshots: `metadata` and `targets`.
///
/// Isolation: any. Calls block their thread.
package final class RepositoryFolder: Sendable {
    /// The path of the folder.
    package let path: String
    /// The descriptor of the lock file, or `nil` for reading.
    private let lock: CInt?
    private static let lockName = ".lock"

    /// Opens a folder for reading. Another process may change it.
    /// - Throws: ``PublishingError`` with code `noInput`.
    package init(reading path: String) throws(PublishingError) {
        guard FileSystem.isDirectory(path + "/metadata") else {
            throw PublishingError(.noInput, "no repository: it has no folder metadata", at: path)
        }
        self.path = path
        lock = nil
    }

    /// Opens a folder for changes, which other processes cannot make at the same time.
    /// - Parameter creates: a Boolean value that indicates whether a missing folder is created.
    /// - Throws: ``PublishingError`` with code `noInput`, `inUse` or `io`.
    package init(changing path: String, creates: Bool = false) throws(PublishingError) {
        self.path = path
        if creates {
            try Self.makeFolder(path)
        } else {
            _ = try RepositoryFolder(reading: path)
        }
        for name in ["metadata", "targets"] { try Self.makeSubfolder("\(path)/\(name)") }
        lock = try Self.acquireLock(path)
    }

    deinit {
        // The file stays, because another process may already wait for it.
        if let lock {
            flock(lock, LOCK_UN)
            close(lock)
        }
    }

    /// Locks the folder by flock(2), which ends with the process.
    private static func acquireLock(_ path: String) throws(PublishingError) -> CInt {
        do throws(SystemError) {
            let file = try FileIO.open("\(path)/\(lockName)", O_RDWR | O_CREAT | O_NOFOLLOW, mode: 0o644)
            while flock(file, LOCK_EX | LOCK_NB) != 0 {
                let error = SystemError("flock", at: path)
                if error.number == EINTR { continue }
                close(file)
                throw error
            }
            return file
        } catch {
            guard error.number == EWOULDBLOCK else { throw PublishingError(error) }
            throw PublishingError(.inUse, "another process changes the repository", at: path)
        }
    }

    // MARK: Reading

    /// Returns the maximum number of bytes of a role's metadata, which are those of clients.
    static func maxBytes(of role: String) -> Int {
        switch role {
        case TopRole.root: 512_000
        case TopRole.timestamp: 16_384
        case TopRole.snapshot: 2_000_000
        default: 5_000_000
        }
    }

    /// Reads the current metadata, and verifies its signatures and digests. Files that the timestamp does not announce
    /// are ignored, such as those of an interrupted change. Metadata of a delegated role that cannot be read is one of
    /// ``RepositoryState/damagedRoles``.
    /// - Parameter trusted: root metadata from a trusted source, from which each root must lead to the next one, or
    ///   `nil` if the folder is such a source. In such a folder, keys of the former root count too, because a change
    ///   of the root may have been interrupted.
    /// - Throws: ``PublishingError`` with code `badMetadata`, `badKey`, `unsigned` or `io`.
    package func state(trusting trusted: Data? = nil) throws(PublishingError) -> RepositoryState {
        var state = RepositoryState()
        let number = try newestRoot()
        if let trusted { try verifyRoots(from: MetadataDocument(decoding: trusted, of: TopRole.root), upTo: number) }
        if number > 0 { state.root = try root(number) }
        if number > 1 { state.previousRoot = try root(number - 1) }
        state.stagedRoot = try waitingRoot(after: state.root)
        guard let root = state.root else { return state }
        guard root.signed["consistent_snapshot"] == .bool(true) else {
            throw PublishingError(.badMetadata, "without consistent snapshots", at: TopRole.root)
        }
        try verify(root, as: TopRole.root, in: [root])
        let roots = trusted == nil ? [root, state.previousRoot].compactMap(\.self) : [root]
        let timestamp = try document(TopRole.timestamp, "timestamp.json")
        try verify(timestamp, as: TopRole.timestamp, in: roots)
        state.timestamp = timestamp
        let snapshot = try announced(TopRole.snapshot, by: timestamp)
        try verify(snapshot, as: TopRole.snapshot, in: roots)
        state.snapshot = snapshot
        let targets = try announced(TopRole.targets, by: snapshot)
        try verify(targets, as: TopRole.targets, in: roots)
        state.targets[TopRole.targets] = targets
        for role in state.delegatedRoles where snapshot.signed["meta"]?["\(role).json"] != nil {
            let document: MetadataDocument
            do {
                document = try announced(role, by: snapshot)
            } catch {
                // Other roles do not depend on it.
                state.damagedRoles[role] = error
                continue
            }
            state.targets[role] = document
            // The keys of the delegation may have been replaced since.
            if !document.isSigned(by: try state.keys(of: role)) { state.unverifiedRoles.insert(role) }
        }
        return state
    }

    /// Reads the root that waits for signatures. A root that is not newer than the published one is ignored, such as
    /// that of an interrupted publication.
    private func waitingRoot(after published: MetadataDocument?) throws(PublishingError) -> MetadataDocument? {
        let name = RepositoryStep.stagedRootName
        guard let bytes = try read(name, of: TopRole.root) else { return nil }
        let root = try MetadataDocument(decoding: bytes, of: TopRole.root)
        let version = published?.version ?? 0
        guard root.version > version else { return nil }
        // Versions of documents are below the largest integer.
        guard root.version == version + 1 else {
            throw PublishingError(
                .badMetadata, "version \(root.version), expected is \(version + 1)", at: "\(path)/metadata/\(name)")
        }
        guard let published else { return root }
        guard !root.signers(of: try RepositoryState.keys(of: TopRole.root, in: published)).isEmpty else {
            throw PublishingError(
                .unsigned, "no key of the current root has signed the next root; remove the file",
                at: "\(path)/metadata/\(name)")
        }
        return root
    }

    /// Reads a published root.
    private func root(_ version: Int64) throws(PublishingError) -> MetadataDocument {
        let root = try document(TopRole.root, "\(version).root.json")
        guard root.version == version else {
            throw PublishingError(.badMetadata, "not the version of its name", at: TopRole.root)
        }
        return root
    }

    /// Verifies that the keys of each root have signed the next one (TUF 1.0.34, section 5.3).
    private func verifyRoots(from trusted: MetadataDocument, upTo newest: Int64) throws(PublishingError) {
        var root = trusted
        try verify(root, as: TopRole.root, in: [root])
        guard newest >= root.version else {
            throw PublishingError(.badMetadata, "older than the trusted root \(root.version)", at: TopRole.root)
        }
        while root.version < newest {
            let next = try self.root(root.version + 1)
            try verify(next, as: TopRole.root, in: [root])
            try verify(next, as: TopRole.root, in: [next])
            root = next
        }
        // Without a later root, the file of the folder must be the trusted root itself.
        guard try document(TopRole.root, "\(newest).root.json").signed == root.signed else {
            throw PublishingError(.unsigned, "not the trusted root", at: TopRole.root)
        }
    }

    private func newestRoot() throws(PublishingError) -> Int64 {
        let suffix = ".root.json"
        return try metadataNames().filter { $0.hasSuffix(suffix) }.compactMap { Int64($0.dropLast(suffix.count)) }
            .reduce(0, max)
    }

    /// Returns the names of all files in the folder of metadata, unsorted.
    func metadataNames() throws(PublishingError) -> [String] {
        do {
            var names: [String] = []
            try DirectoryDescriptor(path: path + "/metadata").forEachName { name in
                names.append(String(cString: name))
                return true
            }
            return names
        } catch let error as SystemError {
            throw PublishingError(error)
        } catch {
            throw PublishingError(.io, "\(error)", at: path)
        }
    }

    private func read(_ name: String, of role: String) throws(PublishingError) -> Data? {
        try FileBytes.read("\(path)/metadata/\(name)", maxBytes: Self.maxBytes(of: role))
    }

    func document(_ role: String, _ name: String) throws(PublishingError) -> MetadataDocument {
        guard let bytes = try read(name, of: role) else {
            throw PublishingError(.badMetadata, "the file is missing", at: "\(path)/metadata/\(name)")
        }
        return try MetadataDocument(decoding: bytes, of: role)
    }

    /// Reads a document, and compares it with its announcement in another one.
    func announced(_ role: String, by other: MetadataDocument) throws(PublishingError) -> MetadataDocument {
        let file = other.signed["meta"]?["\(role).json"]
        guard let version = file?["version"]?.number else {
            throw PublishingError(.badMetadata, "\(other.name) does not announce the role", at: role)
        }
        let name = RepositoryStep.name(of: role, version)
        do throws(PublishingError) {
            let document = try document(role, name)
            let bytes = try read(name, of: role) ?? Data()
            guard document.version == version, file?["length"]?.number.map({ $0 == bytes.count }) ?? true,
                file?["hashes"]?["sha256"]?.text.map({ $0 == SHA256Digest(of: bytes).hex }) ?? true
            else { throw PublishingError(.badMetadata, "not the document that \(other.name) announces", at: role) }
            return document
        } catch {
            throw PublishingError(error.code, error.message, at: "\(path)/metadata/\(name)")
        }
    }

    /// - Parameter roots: the newest root, and the one before, whose keys count if a change was interrupted.
    private func verify(
        _ document: MetadataDocument, as role: String, in roots: [MetadataDocument]
    ) throws(PublishingError) {
        for root in roots where document.isSigned(by: try RepositoryState.keys(of: role, in: root)) { return }
        throw PublishingError(.unsigned, "not signed by the keys of the role", at: role)
    }

    /// Returns the bytes of a file of the repository.
    /// - Parameter path: the path relative to the folder.
    /// - Throws: ``PublishingError`` with code `noInput`, `badMetadata` or `io`.
    package func bytes(of path: String, maxBytes: Int) throws(PublishingError) -> Data {
        guard let bytes = try FileBytes.read("\(self.path)/\(path)", maxBytes: maxBytes) else {
            throw PublishingError(.noInput, "the file is missing", at: "\(self.path)/\(path)")
        }
        return bytes
    }

    /// Verifies the size and the digest of the archive of a release.
    /// - Throws: ``PublishingError`` with code `noInput` if the archive is missing, `badMetadata` if it is another one,
    ///   `io`.
    package func verifyArchive(
        of release: ReleaseRecord, as archive: PackageManifest.Archive
    ) throws(PublishingError) {
        let location = "\(path)/\(release.archivePath)"
        do {
            // A named pipe would block without the flag.
            let file = try FileIO.open(location, O_RDONLY | O_NONBLOCK | O_NOFOLLOW)
            defer { close(file) }
            let status = try FileStatus(descriptor: file, path: location)
            guard status.kind == .file else { throw PublishingError(.io, "not a regular file", at: location) }
            var hasher = SHA256Hasher()
            if status.size == archive.size { try FileIO.forEachPiece(of: file) { hasher.update($0) } }
            guard status.size == archive.size, hasher.finalize() == archive.sha256 else {
                throw PublishingError(.badMetadata, "not the archive that the manifest lists", at: location)
            }
        } catch let error as PublishingError {
            throw error
        } catch let error as SystemError where error.number == ENOENT || error.number == ENOTDIR {
            throw PublishingError(.noInput, "the archive is missing", at: location)
        } catch {
            throw PublishingError(.io, "\(error)", at: location)
        }
    }
}
