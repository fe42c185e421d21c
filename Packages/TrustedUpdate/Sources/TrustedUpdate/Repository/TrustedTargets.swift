// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
internal import WebSyntax

/// A target that verified metadata lists.
package struct TrustedTarget: Sendable {
    /// The path of the target, which identifies it in the repository.
    package let path: String
    /// The number of bytes.
    package let length: Int
    /// The JSON text of the member `custom`, whose meaning the publisher defines.
    package let custom: Data?
    private let hashes: ContentHashes
    /// A Boolean value that indicates whether the digest is part of the file name.
    private let isConsistent: Bool

    init(_ target: TargetsContent.Target, at path: String, isConsistent: Bool) {
        self.path = path
        length = target.length
        custom = target.custom
        hashes = target.hashes
        self.isConsistent = isConsistent
    }

    /// The URL of the target relative to the URL below which the targets are.
    package var location: String {
        // The path is a path-relative URL, whose escapes stay unchanged.
        let url = path.unicodeScalars.split(separator: "%", omittingEmptySubsequences: false)
            .map { PercentEncoding.encode(String($0), keeping: .path) }.joined(separator: "%")
        let name = url.lastIndex(of: "/").map { url.index(after: $0) } ?? url.startIndex
        return isConsistent ? "\(url[..<name])\(hashes.prefix).\(url[name...])" : url
    }

    /// The SHA-256 digest, if the metadata has one.
    var sha256: SHA256Digest? { hashes.sha256 }

    /// Verifies the bytes of the target.
    /// - Throws: ``TrustError`` with code `mismatch` if the length or a digest is different.
    package func verify(_ bytes: Data) throws {
        guard bytes.count == length, hashes.match(bytes) else {
            throw TrustError(.mismatch, "another length or digest than in the metadata", at: path)
        }
    }
}

/// The targets of a repository as of one refresh. Delegated roles are fetched when a search visits them.
///
/// Isolation: an actor.
package actor TrustedTargets {
    private let session: RefreshSession
    private let root: Metadata<RootContent>
    private let snapshot: Metadata<SnapshotContent>
    /// The roles by the delegations that lead to them, because other delegators can trust other keys for the same role.
    private var loaded: [[ByteText]: TargetsContent] = [:]

    init(_ session: RefreshSession, root: Metadata<RootContent>, snapshot: Metadata<SnapshotContent>) {
        self.session = session
        self.root = root
        self.snapshot = snapshot
    }

    /// Searches a target, in the order of the delegations (TUF 1.0.34, section 5.6.7): a role before the roles to which
    /// it delegates, and these in the order of the metadata.
    /// - Returns: `nil` if no role that is trusted for the target lists it.
    /// - Throws: like ``TrustedRepository/refresh(now:)``.
    package func target(_ path: String) async throws -> TrustedTarget? {
        let digest = SHA256Digest(of: Data(path.utf8)).bytes
        var visited: Set<ByteText> = []
        // The last element is visited next.
        var waiting: [(role: Delegations.Role, delegators: [ByteText], delegations: Delegations)] = []
        func visit(_ chain: [ByteText], _ content: TargetsContent) {
            if let name = chain.last { visited.insert(name) }
            guard let delegations = content.delegations else { return }
            let roles = delegations.roles(for: path, digest: digest)
            if roles.last?.isTerminating == true { waiting = [] }
            waiting += roles.reversed().map { ($0, chain, delegations) }
        }
        let top = try await topLevel()
        if let target = top.target(path) { return try makeTarget(target, path) }
        visit([Self.topLevelName], top)
        while let (role, delegators, delegations) = waiting.popLast(), visited.count <= session.limits.delegations {
            let name = ByteText(role.name)
            guard !visited.contains(name) else { continue }
            let content = try await content(of: role, delegations, below: delegators)
            if let target = content.target(path) { return try makeTarget(target, path) }
            visit(delegators + [name], content)
        }
        return nil
    }

    /// The version of the snapshot.
    var number: Int64 { snapshot.version }

    /// The maximum number of delegated roles in memory.
    private static let maxLoaded = 64
    static let topLevelName = ByteText(TopLevelRole.targets.rawValue)

    func makeTarget(_ target: TargetsContent.Target, _ path: String) throws(TrustError) -> TrustedTarget {
        guard target.length <= session.limits.targetBytes else {
            throw TrustError(.tooLarge, "\(target.length) bytes, limit \(session.limits.targetBytes)", at: path)
        }
        return TrustedTarget(target, at: path, isConsistent: root.content.isConsistent)
    }

    /// Returns the metadata of the top-level role (TUF 1.0.34, section 5.6).
    func topLevel() async throws -> TargetsContent {
        try await load([Self.topLevelName]) { [root] document throws(TrustError) in
            try root.content.verify(document, as: .targets)
        }
    }

    /// Fetches the metadata of a role to which another one delegates.
    func content(of role: Delegations.Role, _ delegations: Delegations, below delegators: [ByteText]) async throws
        -> TargetsContent
    {
        try await load(delegators + [ByteText(role.name)]) { document throws(TrustError) in
            try delegations.verify(document, as: role)
        }
    }

    /// Frees the memory of a role. A search reads it again.
    func forget(_ chain: [ByteText]) { loaded[chain] = nil }

    var limits: TrustLimits { session.limits }

    /// Returns the metadata of a role, from the folder if the stored metadata is current.
    /// - Parameters:
    ///   - chain: the delegations that lead to the role, and the role at the end.
    ///   - verify: a closure that verifies the signatures by the keys of the delegator.
    private func load(
        _ chain: [ByteText], verify: (SignedDocument) throws(TrustError) -> Void
    ) async throws -> TargetsContent {
        if let content = loaded[chain] { return content }
        let role = chain.last?.text ?? ""
        let announced = try snapshot.content.file(of: role)
        let maxBytes = try announced.maxBytes(session.limits.targetsBytes, of: role)
        func verified(_ document: SignedDocument) throws(TrustError) -> TargetsContent {
            try announced.check(document.bytes, of: role)
            try verify(document)
            let metadata = try document.decode(TargetsContent.self)
            try announced.check(metadata.version, of: role)
            try metadata.checkExpiry(at: session.now, of: role)
            return metadata.content
        }
        let content: TargetsContent
        // Delegated roles are stored to save requests only, and the snapshot protects their versions.
        let stored =
            chain.count == 1
            ? try session.stored(role, maxBytes: maxBytes) : try? session.stored(role, maxBytes: maxBytes)
        if let stored, let trusted = try? verified(stored) {
            content = trusted
        } else {
            let document = try await session.fetch(
                role, version: root.content.isConsistent ? announced.version : nil, maxBytes: maxBytes)
            content = try verified(document)
            if chain.count == 1 { try session.store(document) } else { try? session.store(document) }
        }
        if loaded.count > Self.maxLoaded { loaded = loaded.filter { $0.key.count == 1 } }
        loaded[chain] = content
        return content
    }
}
