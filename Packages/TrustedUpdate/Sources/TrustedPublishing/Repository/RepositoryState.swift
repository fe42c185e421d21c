// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Packaging) package import PackageFormat
internal import WebSyntax

/// The names of the top-level roles.
package enum TopRole {
    package static let root = "root"
    package static let timestamp = "timestamp"
    package static let snapshot = "snapshot"
    package static let targets = "targets"
    /// All names, in the order in which clients verify the roles.
    package static let all = [root, timestamp, snapshot, targets]
}

/// A delegation of a package to the keys of a team.
package struct PackageDelegation: Sendable, Hashable {
    /// The name of the role, which is that of the package.
    package let package: PackageID
    package let keys: RoleKeys
    /// The URL below which the base URLs of the team's packages must lie, or `nil` for any.
    package let scope: PackageBaseURL?

    /// Creates a delegation.
    /// - Throws: ``PublishingError`` with code `badValue` if the package has the name of a top-level role.
    package init(of package: PackageID, to keys: RoleKeys, scope: PackageBaseURL?) throws(PublishingError) {
        guard !TopRole.all.contains("\(package)".lowercased()) else {
            throw PublishingError(
                .badValue, "a delegated package cannot have the name of a top-level role", at: "\(package)")
        }
        self.package = package
        self.keys = keys
        self.scope = scope
    }

    /// The pattern of the targets.
    var pattern: String { "\(package)/*" }
}

/// The current metadata of a repository.
package struct RepositoryState: Sendable {
    /// The newest published root, or `nil` before the first one is published.
    package internal(set) var root: MetadataDocument?
    /// The root before ``root``.
    var previousRoot: MetadataDocument?
    /// The next root, which waits for signatures.
    package internal(set) var stagedRoot: MetadataDocument?
    package internal(set) var timestamp: MetadataDocument?
    package internal(set) var snapshot: MetadataDocument?
    /// The metadata of the role `targets`, and of the roles to which it delegates, by name.
    package internal(set) var targets: [String: MetadataDocument] = [:]
    /// The delegated roles whose metadata is not signed by the keys of their delegation. Devices refuse it, its
    /// releases are not listed, and only ``RepositoryUpdate/resign(_:)`` signs it again.
    package internal(set) var unverifiedRoles: Set<String> = []

    /// The delegated roles whose metadata cannot be read, or is not that which the snapshot announces, with the reason.
    /// Their releases are not listed, and nothing changes them.
    package internal(set) var damagedRoles: [String: PublishingError] = [:]

    /// Creates the state of an empty repository.
    package init() {}

    // MARK: Roles

    /// Returns the keys of a top-level role in a root.
    /// - Throws: ``PublishingError`` with code `badMetadata`.
    package static func keys(of role: String, in root: MetadataDocument) throws(PublishingError) -> RoleKeys {
        guard let value = root.signed["roles"]?[role] else {
            throw PublishingError(.badMetadata, "without the role \(role)", at: TopRole.root)
        }
        return try RoleKeys(value, keys: root.signed["keys"], of: role)
    }

    /// The published root.
    /// - Throws: ``PublishingError`` with code `notFound`.
    package var publishedRoot: MetadataDocument {
        get throws(PublishingError) {
            guard let root else {
                throw PublishingError(.notFound, "the repository has no root yet: see h5 keys init and h5 keys sign")
            }
            return root
        }
    }

    /// Returns the keys of a top-level or delegated role.
    /// - Throws: ``PublishingError`` with code `notFound` or `badMetadata`.
    package func keys(of role: String) throws(PublishingError) -> RoleKeys {
        if TopRole.all.contains(role) { return try Self.keys(of: role, in: publishedRoot) }
        guard let value = delegation(named: role) else {
            throw PublishingError(.notFound, "no such role", at: role)
        }
        return try RoleKeys(value, keys: targets[TopRole.targets]?.signed["delegations"]?["keys"], of: role)
    }

    /// The names of the roles to which the role `targets` delegates, in the order of the metadata.
    package var delegatedRoles: [String] { delegationValues.compactMap { $0["name"]?.text } }

    private var delegationValues: [JSONValue] {
        targets[TopRole.targets]?.signed["delegations"]?["roles"]?.elements ?? []
    }

    private func delegation(named role: String) -> JSONValue? { delegationValues.first { $0["name"]?.text == role } }

    /// Returns the URL below which the base URLs of a delegated role must lie, as text.
    package func scope(of role: String) -> String? { delegation(named: role)?["scope"]?.text }

    /// Returns the name of the role that lists new releases of a package.
    package func role(of package: PackageID) -> String {
        let pattern = JSONValue.string("\(package)/*")
        let delegation = delegationValues.first { $0["paths"]?.elements.contains(pattern) == true }
        return delegation?["name"]?.text ?? TopRole.targets
    }

    /// Returns the name of the role that lists a new release.
    /// - Parameter scope: the URL that the package's base URL lies below.
    /// - Throws: ``PublishingError`` with code `unsigned` if other keys than those of the delegation have signed the
    ///   metadata of the role, `badValue` if the scope does not lie below that of the delegation, or `badMetadata`; the
    ///   reason for which the metadata cannot be read.
    package func role(of package: PackageID, publishing scope: PackageBaseURL) throws(PublishingError) -> String {
        let role = role(of: package)
        try checkMetadata(of: role)
        guard let text = self.scope(of: role) else { return role }
        guard let limit = try? PackageBaseURL(text) else {
            throw PublishingError(.badMetadata, "a delegation with a scope that is no base URL", at: role)
        }
        guard scope.lies(under: limit) else {
            throw PublishingError(
                .badValue, "the delegation of \(package) needs a base URL below \(limit)", at: "\(scope)")
        }
        return role
    }

    /// Checks that the metadata of a role may be changed.
    /// - Throws: ``PublishingError`` with code `unsigned` if the role is one of ``unverifiedRoles``; the reason if it
    ///   is one of ``damagedRoles``.
    package func checkMetadata(of role: String) throws(PublishingError) {
        if let error = damagedRoles[role] { throw error }
        guard unverifiedRoles.contains(role) else { return }
        throw PublishingError(
            .unsigned,
            "the metadata of \(role) is not signed by the keys of its delegation: compare it with h5 keys renew "
                + "--package \(role)", at: role)
    }

    // MARK: Releases

    /// A release and the role that lists it.
    package struct Listed: Sendable, Hashable {
        package let role: String
        package var release: ReleaseRecord
    }

    /// All releases that devices accept, from the highest number to the lowest of each package.
    ///
    /// A delegated role lists those of its package only. Its other releases, and those that are not valid, are left
    /// out: they do not concern other teams.
    /// - Throws: ``PublishingError`` with code `badMetadata` if the role `targets` lists a release that is not valid.
    package func releases() throws(PublishingError) -> [Listed] {
        var releases: [Listed] = []
        for (role, document) in targets where !unverifiedRoles.contains(role) {
            for (path, target) in document.signed["targets"]?.members ?? [:] {
                guard let release = try release(target, at: path.text, in: role) else { continue }
                releases.append(Listed(role: role, release: release))
            }
        }
        return releases.sorted { one, other in
            one.release.package == other.release.package
                ? one.release.sequence > other.release.sequence : one.release.package < other.release.package
        }
    }

    /// Returns the release of a target, or `nil` if it is none or the role cannot list it.
    func release(_ target: JSONValue, at path: String, in role: String) throws(PublishingError) -> ReleaseRecord? {
        guard role != TopRole.targets else { return try ReleaseRecord(target, at: path) }
        // An asterisk does not match a slash.
        guard let release = try? ReleaseRecord(target, at: path), self.role(of: release.package) == role,
            path.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 1
        else { return nil }
        return release
    }

    /// Returns the releases of a package, from the highest number to the lowest.
    package func releases(of package: PackageID) throws(PublishingError) -> [Listed] {
        try releases().filter { $0.release.package == package }
    }

    /// Returns a release.
    /// - Throws: ``PublishingError`` with code `notFound` or `badMetadata`, or `unsigned` if other keys than those of
    ///   the delegation have signed the metadata that can list it; the reason for which this cannot be read.
    package func release(_ package: PackageID, _ version: PackageVersion) throws(PublishingError) -> Listed {
        guard let found = try releases(of: package).first(where: { $0.release.version == version }) else {
            try checkMetadata(of: role(of: package))
            throw PublishingError(.notFound, "the repository has no such release", at: "\(package) \(version)")
        }
        return found
    }

    /// Returns the number of the next release of a package. It also exceeds the numbers of removed releases, because
    /// each change of the repository raises the version of the snapshot.
    /// - Throws: ``PublishingError`` with code `badValue` if no valid number follows, or `badMetadata`.
    package func nextSequence(of package: PackageID) throws(PublishingError) -> Int64 {
        let last = max(try releases(of: package).first?.release.sequence ?? 0, snapshot?.version ?? 0)
        guard last < PackageManifest.sequences.upperBound else {
            throw PublishingError(.badValue, "no number of a release follows \(last)", at: "\(package)")
        }
        return last + 1
    }
}
