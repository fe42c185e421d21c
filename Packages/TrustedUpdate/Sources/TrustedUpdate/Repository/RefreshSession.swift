// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// One refresh: the steps of the client workflow before the targets (TUF 1.0.34, sections 5.3 to 5.5).
struct RefreshSession: Sendable {
    let now: Date
    let limits: TrustLimits
    private let folder: MetadataFolder
    private let recordsRoots: Bool
    private let metadataURL: String
    private let fetch: MetadataLoading

    init(_ repository: TrustedRepository, now: Date) throws(TrustError) {
        self.now = now
        limits = repository.limits
        folder = try MetadataFolder(repository.folder)
        recordsRoots = repository.recordsRoots
        metadataURL = repository.metadataURL
        fetch = repository.load
    }

    // MARK: Documents

    /// Fetches the metadata of a role.
    /// - Parameter version: the version in the file name; `nil` for a name without a version.
    /// - Returns: `nil` if the server does not have it.
    /// - Throws: ``TrustError`` with code `tooLarge` or `badMetadata`, or the error of the closure.
    private func fetchIfPresent(_ role: String, version: Int64?, maxBytes: Int) async throws -> SignedDocument? {
        try Task.checkCancellation()
        let prefix = version.map { "\($0)." } ?? ""
        guard let bytes = try await fetch(metadataURL + prefix + MetadataFolder.name(of: role), maxBytes) else {
            return nil
        }
        guard bytes.count <= maxBytes else {
            throw TrustError(.tooLarge, "more than \(maxBytes) bytes", at: role)
        }
        return try SignedDocument(bytes, of: role)
    }

    /// Fetches the metadata of a role that the server must have.
    func fetch(_ role: String, version: Int64?, maxBytes: Int) async throws -> SignedDocument {
        guard let document = try await fetchIfPresent(role, version: version, maxBytes: maxBytes) else {
            throw TrustError(.notFound, "the server does not have the metadata", at: role)
        }
        return document
    }

    /// Returns the stored metadata of a role, or `nil` if there is none or it is no document.
    /// - Throws: ``TrustError`` with code `io`.
    func stored(_ role: String, maxBytes: Int) throws(TrustError) -> SignedDocument? {
        guard let bytes = try folder.read(role, maxBytes: maxBytes) else { return nil }
        return try? SignedDocument(bytes, of: role)
    }

    func store(_ document: SignedDocument) throws(TrustError) {
        try folder.write(document.bytes, of: document.name)
    }

    // MARK: Steps

    /// Updates the root version by version (section 5.3). Each new root is signed by the keys of the former root and by
    /// its own.
    func root() async throws -> Metadata<RootContent> {
        let role = TopLevelRole.root
        guard let bytes = try folder.read(role.rawValue, maxBytes: limits.rootBytes) else {
            throw TrustError(.io, "no trusted root of at most \(limits.rootBytes) bytes", at: role.rawValue)
        }
        let initial = try SignedDocument(bytes, of: role.rawValue)
        var root = try initial.decode(RootContent.self)
        try root.content.verify(initial, as: role)
        for _ in 0..<limits.rootRotations {
            let version = root.version + 1
            guard
                let document = try await fetchIfPresent(
                    role.rawValue, version: version, maxBytes: limits.rootBytes)
            else { break }
            try root.content.verify(document, as: role)
            let next = try document.decode(RootContent.self)
            try next.content.verify(document, as: role)
            guard next.version == version else {
                throw TrustError(.mismatch, "version \(next.version), expected is \(version)", at: role.rawValue)
            }
            // After an attack, the versions can be so high that no later version is accepted (section 5.3.11). The
            // files are removed first: after a kill, the rotation is repeated.
            if [.timestamp, .snapshot].contains(where: { root.content.removesKey(of: $0, in: next.content) }) {
                for role in [TopLevelRole.timestamp, .snapshot] { try folder.remove(role.rawValue) }
            }
            if recordsRoots { try folder.record(document.bytes) }
            try store(document)
            root = next
        }
        try root.checkExpiry(at: now, of: role.rawValue)
        return root
    }

    /// Updates the timestamp (section 5.4).
    func timestamp(_ root: Metadata<RootContent>) async throws -> Metadata<TimestampContent> {
        let role = TopLevelRole.timestamp
        func verified(_ document: SignedDocument) throws(TrustError) -> Metadata<TimestampContent> {
            try root.content.verify(document, as: role)
            return try document.decode(TimestampContent.self)
        }
        let document = try await fetch(role.rawValue, version: nil, maxBytes: limits.timestampBytes)
        let new = try verified(document)
        let former = try stored(role.rawValue, maxBytes: limits.timestampBytes)
        if let stored = former.flatMap({ try? verified($0) }) {
            // Another document of the same version is ignored.
            guard new.version != stored.version else {
                try stored.checkExpiry(at: now, of: role.rawValue)
                return stored
            }
            guard new.version > stored.version else {
                throw TrustError(
                    .rollback, "version \(new.version), trusted is \(stored.version)", at: role.rawValue)
            }
            let (version, trusted) = (try new.content.snapshot.version, try stored.content.snapshot.version)
            guard version >= trusted else {
                throw TrustError(
                    .rollback, "snapshot of version \(version), trusted is \(trusted)", at: role.rawValue)
            }
        }
        try new.checkExpiry(at: now, of: role.rawValue)
        try store(document)
        return new
    }

    /// Updates the snapshot (section 5.5).
    func snapshot(
        _ timestamp: Metadata<TimestampContent>, _ root: Metadata<RootContent>
    ) async throws -> Metadata<SnapshotContent> {
        let role = TopLevelRole.snapshot
        let announced = try timestamp.content.snapshot
        func verified(_ document: SignedDocument) throws(TrustError) -> Metadata<SnapshotContent> {
            try root.content.verify(document, as: role)
            return try document.decode(SnapshotContent.self)
        }
        func checkCurrent(_ document: SignedDocument, _ snapshot: Metadata<SnapshotContent>) throws(TrustError) {
            try announced.check(document.bytes, of: role.rawValue)
            try announced.check(snapshot.version, of: role.rawValue)
            try snapshot.checkExpiry(at: now, of: role.rawValue)
        }
        var trusted: Metadata<SnapshotContent>?
        if let document = try stored(role.rawValue, maxBytes: limits.snapshotBytes),
            let stored = try? verified(document)
        {
            if (try? checkCurrent(document, stored)) != nil { return stored }
            // The stored snapshot is not current, but no later snapshot may go back behind it.
            trusted = stored
        }
        let document = try await fetch(
            role.rawValue, version: root.content.isConsistent ? announced.version : nil,
            maxBytes: announced.maxBytes(limits.snapshotBytes, of: role.rawValue))
        // The digest is checked first, as the specification requires (section 5.5.2).
        try announced.check(document.bytes, of: role.rawValue)
        let new = try verified(document)
        if let trusted {
            guard new.version >= trusted.version else {
                throw TrustError(
                    .rollback, "version \(new.version), trusted is \(trusted.version)", at: role.rawValue)
            }
            try new.content.checkRollback(from: trusted.content)
        }
        try checkCurrent(document, new)
        try store(document)
        return new
    }
}
