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

    /// Begins the trust from a root that comes with the app, unless the folder has had it before. The root that the
    /// folder has then is this one or a later one.
    ///
    /// So an app with a root of a new repository, whatever its version, ends the trust in keys of the former one.
    /// - Throws: ``TrustError``.
    static func beginTrust(in root: Data, folder path: String) throws(TrustError) {
        let role = TopLevelRole.root
        func isValid(_ bytes: Data) -> Bool { (try? verify(bytes)) != nil }
        func verify(_ bytes: Data) throws(TrustError) {
            let document = try SignedDocument(bytes, of: role.rawValue)
            try document.decode(RootContent.self).content.verify(document, as: role)
        }
        try verify(root)
        let folder = try MetadataFolder(path)
        let stored = try folder.read(role.rawValue, maxBytes: TrustLimits().rootBytes)
        if let stored, isValid(stored), try folder.hasRecorded(root) { return }
        try resetTrust(to: root, folder: path)
        try folder.record(root)
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
