// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation

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
/// Isolation: any. Only one process and one refresh with its targets may use a folder at a time.
package struct TrustedRepository: Sendable {
    let folder: String
    let metadataURL: String
    let limits: TrustLimits
    /// A Boolean value that indicates whether the folder also lists the digests of all roots that it has had.
    let recordsRoots: Bool
    let load: MetadataLoading

    /// Creates a client.
    /// - Parameters:
    ///   - folder: the path of an existing folder with the trusted root, `root.json`. The folder also receives the
    ///     verified metadata.
    ///   - metadataURL: the absolute URL below which the metadata is, without a query and a fragment.
    ///   - limits: the limits of documents and searches.
    ///   - load: a closure that fetches documents.
    package init(
        folder: String, metadataURL: String, limits: TrustLimits = TrustLimits(), load: @escaping MetadataLoading
    ) {
        self.init(folder: folder, metadataURL: metadataURL, limits: limits, recordsRoots: false, load: load)
    }

    init(
        folder: String, metadataURL: String, limits: TrustLimits = TrustLimits(), recordsRoots: Bool,
        load: @escaping MetadataLoading
    ) {
        self.recordsRoots = recordsRoots
        self.folder = folder
        self.metadataURL = metadataURL.hasSuffix("/") ? metadataURL : metadataURL + "/"
        self.limits = limits
        self.load = load
    }

    /// Begins the trust again from a root that comes from a trusted source, whatever the folder has. Removes the stored
    /// timestamp and snapshot. The next refresh verifies the root.
    ///
    /// Do not call it at each launch: the folder can have a later root, which no longer trusts keys of this one, and
    /// the removed files protect against older metadata.
    /// - Throws: ``TrustError`` with code `io`.
    package static func resetTrust(to root: Data, folder: String) throws(TrustError) {
        let folder = try MetadataFolder(folder)
        // The files of another root are removed first. After a failure or a kill in between, the former root stays.
        for role in [TopLevelRole.timestamp, .snapshot] { try folder.remove(role.rawValue) }
        try folder.write(root, of: TopLevelRole.root.rawValue)
    }

    /// Begins the trust from a root that comes with the app, unless the root of the folder is a later one of the same
    /// repository.
    ///
    /// A root of another repository, whatever its version, ends the trust in the keys of the former one. It is one that
    /// the folder has never had, and whose keys have not signed the root of the folder.
    /// - Throws: ``TrustError``.
    static func beginTrust(in root: Data, folder path: String) throws(TrustError) {
        let role = TopLevelRole.root
        func decode(_ bytes: Data) throws(TrustError) -> (document: SignedDocument, root: Metadata<RootContent>) {
            let document = try SignedDocument(bytes, of: role.rawValue)
            let root = try document.decode(RootContent.self)
            try root.content.verify(document, as: role)
            return (document, root)
        }
        func hasSigned(_ former: Metadata<RootContent>, _ document: SignedDocument) -> Bool {
            (try? former.content.verify(document, as: role)) != nil
        }
        let bundled = try decode(root)
        let folder = try MetadataFolder(path)
        let bytes = try folder.read(role.rawValue, maxBytes: TrustLimits().rootBytes)
        guard let bytes, let stored = try? decode(bytes) else {
            try folder.record(root)
            return try resetTrust(to: root, folder: path)
        }
        if bundled.root.version <= stored.root.version {
            guard try !folder.hasRecorded(root), !hasSigned(bundled.root, stored.document) else { return }
            try folder.record(root)
            return try resetTrust(to: root, folder: path)
        }
        try folder.record(root)
        guard hasSigned(stored.root, bundled.document) else { return try resetTrust(to: root, folder: path) }
        // The other files protect against a rollback, unless their keys were replaced (section 5.3.11).
        let protected: [TopLevelRole] = [.timestamp, .snapshot]
        if protected.contains(where: { stored.root.content.removesKey(of: $0, in: bundled.root.content) }) {
            for role in protected { try folder.remove(role.rawValue) }
        }
        try folder.write(root, of: role.rawValue)
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
        _ = try await targets.topLevel()
        return targets
    }
}
