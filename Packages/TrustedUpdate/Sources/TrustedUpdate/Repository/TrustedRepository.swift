// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
internal import WebSyntax

/// Fetches a document of a repository.
/// - Parameters:
///   - url: the absolute URL.
///   - maxBytes: the maximum number of bytes. The result may be longer by one byte, which shows that the document is
///     too long.
/// - Returns: the bytes, or `nil` if the server does not have the document (status 403 or 404).
/// - Throws: any other failure.
package typealias MetadataLoading = @Sendable (_ url: String, _ maxBytes: Int) async throws -> Data?

/// A client of a repository of The Update Framework (TUF 1.0.34, section 5).
///
/// Isolation: any. Only one refresh of a folder at a time is allowed.
package struct TrustedRepository: Sendable {
    let folder: String
    let metadataURL: String
    let limits: TrustLimits
    let load: MetadataLoading

    /// Creates a client.
    /// - Parameters:
    ///   - folder: the path of an existing folder with the trusted root, `root.json`. The folder also receives the
    ///     verified metadata.
    ///   - metadataURL: the absolute URL below which the metadata is.
    ///   - limits: the limits of documents and searches.
    ///   - load: a closure that fetches documents.
    package init(
        folder: String, metadataURL: String, limits: TrustLimits = TrustLimits(), load: @escaping MetadataLoading
    ) {
        self.folder = folder
        self.metadataURL = metadataURL.hasSuffix("/") ? metadataURL : metadataURL + "/"
        self.limits = limits
        self.load = load
    }

    /// Stores the root from which the trust begins. The root comes with the app; it is verified by the first refresh.
    /// - Throws: ``TrustError`` with code `io`.
    package static func setRoot(_ root: Data, folder: String) throws {
        try MetadataFolder(folder).write(root, of: TopLevelRole.root.rawValue)
    }

    /// Fetches and verifies the metadata of all top-level roles, and stores it in the folder.
    ///
    /// Metadata that is verified before a failure stays in the folder, so that it protects later refreshes.
    /// - Parameter now: the time against which all metadata of the refresh and of its targets expires.
    /// - Throws: ``TrustError``; the error of the closure that fetches documents; `CancellationError`.
    package func refresh(now: Date) async throws -> TrustedTargets {
        let session = try RefreshSession(self, now: now)
        let root = try await session.root()
        let timestamp = try await session.timestamp(root)
        let snapshot = try await session.snapshot(timestamp, root)
        let targets = TrustedTargets(session, root: root, snapshot: snapshot)
        try await targets.loadTopLevel()
        return targets
    }
}

/// One refresh: the steps of the client workflow before the targets (TUF 1.0.34, sections 5.3 to 5.5).
struct RefreshSession: Sendable {
    let now: Date
    let limits: TrustLimits
    private let folder: MetadataFolder
    private let metadataURL: String
    private let fetch: MetadataLoading

    init(_ repository: TrustedRepository, now: Date) throws(TrustError) {
        self.now = now
        limits = repository.limits
        folder = try MetadataFolder(repository.folder)
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
    func stored(_ role: String, maxBytes: Int) -> SignedDocument? {
        folder.read(role, maxBytes: maxBytes).flatMap { try? SignedDocument($0, of: role) }
    }

    func store(_ document: SignedDocument) throws(TrustError) {
        try folder.write(document.bytes, of: document.name)
    }

    // MARK: Steps

    /// Updates the root version by version (section 5.3). Each new root is signed by the keys of the former root and by
    /// its own.
    func root() async throws -> Metadata<RootContent> {
        let role = TopLevelRole.root
        guard let bytes = folder.read(role.rawValue, maxBytes: limits.rootBytes) else {
            throw TrustError(.io, "the folder has no trusted root", at: role.rawValue)
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
            if [.timestamp, .snapshot].contains(where: { root.content.loses(keyOf: $0, in: next.content) }) {
                for role in [TopLevelRole.timestamp, .snapshot] { try folder.remove(role.rawValue) }
            }
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
        if let stored = stored(role.rawValue, maxBytes: limits.timestampBytes).flatMap({ try? verified($0) }) {
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
        if let document = stored(role.rawValue, maxBytes: limits.snapshotBytes), let stored = try? verified(document) {
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
        if let trusted { try new.content.checkRollback(from: trusted.content) }
        try checkCurrent(document, new)
        try store(document)
        return new
    }
}
