// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
package import Foundation
package import PackageFormat
internal import WebSyntax

/// The next metadata of a repository: changes of the current metadata, which the given keys sign.
///
/// The functions are pure: ``steps()`` returns the files to write, in an order in which clients accept the old or the
/// new metadata after each step.
package struct RepositoryUpdate: Sendable {
    /// The metadata with the changes. Changed documents have their old version and no signatures.
    package private(set) var state: RepositoryState
    private let keys: [SigningKey]
    private let now: Date
    private let lifetimes: Lifetimes
    private var changed: Set<String> = []
    private var isRenewal = false
    /// The delegated role that is signed again even if other keys have signed its metadata.
    private var resigned: String?
    /// The root that is published with the other documents.
    private var newRoot: MetadataDocument?

    /// Begins a change.
    /// - Parameters:
    ///   - state: the current metadata.
    ///   - keys: the keys that sign.
    ///   - now: the time from which lifetimes count.
    ///   - lifetimes: the lifetimes of new documents.
    package init(_ state: RepositoryState, keys: [SigningKey], now: Date, lifetimes: Lifetimes) {
        self.state = state
        self.keys = keys
        self.now = now
        self.lifetimes = lifetimes
    }

    // MARK: Releases

    /// Lists a release in a role, or replaces its conditions.
    package mutating func insert(_ release: ReleaseRecord, in role: String) {
        change(role) { signed in
            var targets = signed["targets"] ?? .object([:])
            targets[release.path] = release.value
            signed["targets"] = targets
        }
    }

    /// Removes a release from its role.
    package mutating func remove(_ listed: RepositoryState.Listed) {
        change(listed.role) { signed in
            var targets = signed["targets"] ?? .object([:])
            targets[listed.release.path] = nil
            signed["targets"] = targets
        }
    }

    /// Removes the targets of a delegated package that are not valid releases. Devices do not update the package as
    /// long as its role lists one.
    /// - Returns: the paths of the removed targets, sorted.
    package mutating func removeInvalidReleases(of package: PackageID) -> [String] {
        let role = state.role(of: package)
        let targets = state.targets[role]?.signed["targets"]?.members ?? [:]
        let paths = targets.filter { path, target in
            guard role != TopRole.targets, path.text.hasPrefix("\(package)/") else { return false }
            do throws(PublishingError) {
                _ = try ReleaseRecord(target, at: path.text)
                return false
            } catch {
                return true
            }
        }.keys
        guard !paths.isEmpty else { return [] }
        change(role) { signed in
            var targets = targets
            for path in paths { targets[path] = nil }
            signed["targets"] = .object(targets)
        }
        return paths.map(\.text).sorted()
    }

    private mutating func change(_ role: String, _ body: (inout JSONValue) -> Void) {
        var document =
            state.targets[role]
            ?? MetadataDocument(new: role, type: TopRole.targets, members: ["targets": .object([:])])
        body(&document.signed)
        state.targets[role] = document
        changed.insert(role)
    }

    // MARK: Delegations

    /// The maximum number of delegated roles, which is that of clients.
    package static let maxDelegations = 32

    /// Delegates a package to keys, or replaces the keys and the scope of its delegation.
    /// - Throws: ``PublishingError`` with code `badValue` if there are ``maxDelegations`` other delegations.
    package mutating func insert(_ delegation: PackageDelegation) throws(PublishingError) {
        let name = "\(delegation.package)"
        guard Set(state.delegatedRoles).subtracting([name]).count < Self.maxDelegations else {
            throw PublishingError(.badValue, "clients accept \(Self.maxDelegations) delegations", at: name)
        }
        change(TopRole.targets) { signed in
            var delegations = signed["delegations"] ?? .members(["keys": .object([:]), "roles": .array([])])
            var roles = delegations["roles"]?.elements ?? []
            let index = roles.firstIndex { $0["name"]?.text == name }
            var role = index.map { roles[$0] } ?? .object([:])
            role["name"] = .string(name)
            role["terminating"] = .bool(true)
            role["paths"] = .array([.string(delegation.pattern)])
            role["scope"] = delegation.scope.map { .string("\($0)") }
            for (member, value) in delegation.keys.members { role[member] = value }
            if let index { roles[index] = role } else { roles.append(role) }
            delegations["roles"] = .array(roles)
            delegations["keys"] = Self.usedKeys(
                of: roles, known: delegations["keys"] ?? .object([:]), adding: delegation.keys.keys)
            signed["delegations"] = delegations
        }
    }

    /// Returns the keys that roles use.
    private static func usedKeys(of roles: [JSONValue], known: JSONValue, adding keys: [PublicKey]) -> JSONValue {
        let used = Set(roles.flatMap { ($0["keyids"]?.elements ?? []).compactMap(\.text) })
        var result = JSONValue.object([:])
        for id in used { result[id] = keys.first { $0.id == id }?.value ?? known[id] }
        return result
    }

    // MARK: Roots

    /// Begins the next root.
    /// - Parameter roles: the keys of the roles to change; all roles if there is no root yet.
    /// - Throws: ``PublishingError`` with code `exists` if a root waits for signatures, `badValue` or `badMetadata`.
    package mutating func stageRoot(_ roles: [String: RoleKeys]) throws(PublishingError) {
        guard state.stagedRoot == nil else {
            throw PublishingError(
                .exists,
                "a root waits for signatures: sign it with h5 keys sign, or remove \(RepositoryStep.stagedRoot) to "
                    + "give it up", at: RepositoryStep.stagedRoot)
        }
        var root =
            state.root
            ?? MetadataDocument(
                new: TopRole.root, type: TopRole.root,
                members: ["consistent_snapshot": .bool(true), "keys": .object([:]), "roles": .object([:])])
        var values = root.signed["roles"] ?? .object([:])
        for (name, keys) in roles {
            var value = values[name] ?? .object([:])
            for (member, element) in keys.members { value[member] = element }
            values[name] = value
        }
        root.signed["keys"] = Self.usedKeys(
            of: Array(values.members.values), known: root.signed["keys"] ?? .object([:]),
            adding: roles.values.flatMap(\.keys))
        root.signed["roles"] = values
        try root.renew(until: expiry(of: TopRole.root), after: state.root?.version ?? 0)
        for role in TopRole.all { _ = try RepositoryState.keys(of: role, in: root) }
        state.stagedRoot = root
    }

    /// Adds the signatures of the keys to the root that waits for them.
    /// - Throws: ``PublishingError`` with code `notFound` if there is none, with `unsigned` if no key is one of the
    ///   role, or if no key of the current root has signed it.
    package mutating func signRoot() throws(PublishingError) {
        guard var root = state.stagedRoot else {
            throw PublishingError(.notFound, "no root waits for signatures")
        }
        let roles = try rootRoles(of: root)
        let signers = keys.filter { key in roles.contains { $0.keys.contains(key.publicKey) } }
        guard !signers.isEmpty else {
            throw PublishingError(.unsigned, "no key is one of the current or the next root", at: TopRole.root)
        }
        for key in signers { try root.sign(by: key) }
        // Without such a signature, anyone can have written the file.
        if state.root != nil, let current = roles.last, root.signers(of: current).isEmpty {
            throw PublishingError(.unsigned, "no key is one of the current root", at: TopRole.root)
        }
        state.stagedRoot = root
    }

    /// The keys that the next root needs: its own, and those of the current root (TUF 1.0.34, section 5.3.4).
    private func rootRoles(of next: MetadataDocument) throws(PublishingError) -> [RoleKeys] {
        var roles = [try RepositoryState.keys(of: TopRole.root, in: next)]
        if let current = state.root { roles.append(try RepositoryState.keys(of: TopRole.root, in: current)) }
        return roles
    }

    /// Publishes the root that waits for signatures, if it has enough of them and if the keys can sign the metadata of
    /// the other roles for it. Otherwise it keeps waiting.
    /// - Returns: the steps, and the reason for which the root waits, or `nil` if it is published.
    package mutating func rootSteps() throws(PublishingError) -> (steps: [RepositoryStep], obstacle: String?) {
        guard let root = state.stagedRoot else {
            throw PublishingError(.notFound, "no root waits for signatures")
        }
        func waiting(_ obstacle: String) -> ([RepositoryStep], String?) {
            ([.write(path: RepositoryStep.stagedRoot, bytes: root.bytes)], obstacle)
        }
        for role in try rootRoles(of: root) where !root.isSigned(by: role) {
            return waiting("signed by \(root.signers(of: role).count) of \(role.threshold) keys")
        }
        newRoot = root
        if state.targets[TopRole.targets] == nil { change(TopRole.targets) { $0["targets"] = .object([:]) } }
        do {
            return (try steps() + [.remove(path: RepositoryStep.stagedRoot)], nil)
        } catch  where error.code == .unsigned {
            return waiting("\(error.message), for the role \(error.location ?? "")")
        }
    }

    // MARK: The next metadata

    /// Renews the metadata of all roles but `root` that the keys can sign. Metadata of a delegated role that other keys
    /// than those of the delegation have signed, or that cannot be read, stays unchanged.
    package mutating func renew() { isRenewal = true }

    /// Signs the metadata of a delegated role again. If other keys than those of the delegation have signed it, all but
    /// its releases is removed, such as further delegations.
    /// - Returns: the names of the removed members and targets, sorted.
    /// - Throws: ``PublishingError`` with code `notFound` if there is no such delegated role, or if it has no metadata;
    ///   the reason for which its metadata cannot be read.
    package mutating func resign(_ role: String) throws(PublishingError) -> [String] {
        if let error = state.damagedRoles[role] { throw error }
        guard state.delegatedRoles.contains(role), var document = state.targets[role] else {
            throw PublishingError(.notFound, "no delegated role with metadata", at: role)
        }
        resigned = role
        guard state.unverifiedRoles.remove(role) != nil else { return [] }
        let former = document.signed["targets"]?.members ?? [:]
        var targets = former
        for (path, target) in former where try state.release(target, at: path.text, in: role) == nil {
            targets[path] = nil
        }
        var removed = former.keys.filter { targets[$0] == nil }.map(\.text)
        let known: Set<String> = ["_type", "spec_version", "version", "expires", "targets"]
        for member in document.signed.members.keys.map(\.text) where !known.contains(member) {
            document.signed[member] = nil
            removed.append(member)
        }
        document.signed["targets"] = .object(targets)
        state.targets[role] = document
        return removed.sorted()
    }

    private func expiry(of role: String) -> Date {
        now.addingTimeInterval(Double(lifetimes.days(of: role)) * 86_400)
    }

    /// Returns the files to write, in their order.
    /// - Throws: ``PublishingError`` with code `unsigned` if the keys cannot sign a document, or if a delegated role is
    ///   changed whose metadata other keys have signed; with code `badValue` if a document exceeds the limits of
    ///   clients, or if no version follows that of a document; the reason for which changed metadata cannot be read.
    package func steps() throws(PublishingError) -> [RepositoryStep] {
        let oldRoot = state.root
        guard let root = newRoot ?? oldRoot else { throw PublishingError(.notFound, "the repository has no root") }
        var next = state
        next.root = root
        var steps: [RepositoryStep] = []
        var isAcceptedByOldRoot = true
        var announced = state.snapshot?.signed["meta"] ?? .object([:])

        /// Signs a document as its next version. Keys of the former root sign it too, so that clients with either root
        /// accept it.
        func sign(_ document: inout MetadataDocument, _ role: RoleKeys) throws(PublishingError) {
            let name = document.name
            let former =
                newRoot != nil && TopRole.all.contains(name)
                ? oldRoot.flatMap { try? RepositoryState.keys(of: name, in: $0) } : nil
            try document.renew(until: expiry(of: name))
            for key in keys where role.keys.contains(key.publicKey) || former?.keys.contains(key.publicKey) == true {
                try document.sign(by: key)
            }
            guard document.isSigned(by: role) else {
                throw PublishingError(
                    .unsigned, "\(document.signers(of: role).count) of \(role.threshold) keys are given", at: name)
            }
            if let former { isAcceptedByOldRoot = isAcceptedByOldRoot && document.isSigned(by: former) }
            try Self.checkSize(of: document)
        }

        for name in [TopRole.targets] + next.delegatedRoles {
            guard var document = next.targets[name] else { continue }
            let role = try next.keys(of: name)
            guard try needsSignature(document, of: role) else { continue }
            try sign(&document, role)
            next.targets[name] = document
            steps.append(.write(document))
            announced["\(name).json"] = Self.announcement(of: document)
        }
        let snapshotRole = try next.keys(of: TopRole.snapshot)
        var snapshot =
            state.snapshot ?? MetadataDocument(new: TopRole.snapshot, type: TopRole.snapshot, members: [:])
        var isChanged = !steps.isEmpty || !snapshot.isSigned(by: snapshotRole) || isRenewal && canSign(snapshotRole)
        if isChanged {
            snapshot.signed["meta"] = announced
            try sign(&snapshot, snapshotRole)
            steps.append(.write(snapshot))
        }
        let timestampRole = try next.keys(of: TopRole.timestamp)
        var timestamp =
            state.timestamp ?? MetadataDocument(new: TopRole.timestamp, type: TopRole.timestamp, members: [:])
        isChanged = isChanged || !timestamp.isSigned(by: timestampRole) || isRenewal && canSign(timestampRole)
        if isChanged {
            timestamp.signed["meta"] = .members(["snapshot.json": Self.announcement(of: snapshot)])
            try sign(&timestamp, timestampRole)
            steps.append(.write(timestamp))
        } else if isRenewal, newRoot == nil {
            throw PublishingError(.unsigned, "the keys can sign no role")
        }
        guard let newRoot else { return steps }
        try Self.checkSize(of: newRoot)
        // A client that has the former root must accept the timestamp until the new root is there. If it cannot, the
        // time between both is that of one rename.
        steps.insert(.write(newRoot), at: isAcceptedByOldRoot || steps.isEmpty ? steps.count : steps.count - 1)
        return steps
    }

    private func needsSignature(_ document: MetadataDocument, of role: RoleKeys) throws(PublishingError) -> Bool {
        let name = document.name
        if changed.contains(name) || name == resigned {
            try state.checkMetadata(of: name)
            return true
        }
        if document.isSigned(by: role) { return isRenewal && canSign(role) }
        // Others can have written the metadata of a delegated role that its keys have not signed.
        return name == TopRole.targets
    }

    private func canSign(_ role: RoleKeys) -> Bool {
        keys.count { role.keys.contains($0.publicKey) } >= role.threshold
    }

    static func announcement(of document: MetadataDocument) -> JSONValue {
        let bytes = document.bytes
        return .members([
            "version": .integer(document.version), "length": .integer(Int64(bytes.count)),
            "hashes": .members(["sha256": .string(SHA256Digest(of: bytes).hex)]),
        ])
    }

    private static func checkSize(of document: MetadataDocument) throws(PublishingError) {
        let (count, limit) = (document.bytes.count, RepositoryFolder.maxBytes(of: document.name))
        guard count <= limit else {
            throw PublishingError(.badValue, "\(count) bytes, and clients accept \(limit)", at: document.name)
        }
    }
}
