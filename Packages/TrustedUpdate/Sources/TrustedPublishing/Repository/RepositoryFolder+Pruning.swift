// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebSyntax

extension RepositoryFolder {
    /// Removes earlier versions of snapshot, targets and delegated roles which neither the current timestamp nor the
    /// former one announces. Clients in the middle of a refresh need those of the former one.
    ///
    /// All roots stay, because each root leads to the next one. All versions of a role whose metadata is damaged stay,
    /// because an earlier one can be the last that can be read. Files that are no signed metadata of the role and the
    /// version in their name stay, too. Call it after the timestamp of the last change is written.
    /// - Parameter former: the metadata before the last change.
    /// - Returns: the paths of the removed files in the repository, sorted.
    /// - Throws: ``PublishingError`` with code `badMetadata` or `io`.
    package func removeSupersededMetadata(since former: RepositoryState) throws -> [String] {
        let timestamp = try document(TopRole.timestamp, "timestamp.json")
        let snapshot = try announced(TopRole.snapshot, by: timestamp)
        let versions = Self.versions(announcedBy: snapshot)
        var needed = versions.map { RepositoryStep.name(of: $0, $1) }
        if let snapshot = former.snapshot {
            needed += Self.versions(announcedBy: snapshot).map { RepositoryStep.name(of: $0, $1) }
        }
        var superseded = Set(try metadataNames()).subtracting(needed)
        superseded = superseded.filter { name in
            versions.contains { former.damagedRoles[$0] == nil && isMetadata(name, of: $0, before: $1) }
        }
        let paths = superseded.sorted().map { "metadata/\($0)" }
        try apply(paths.map { .remove(path: $0) })
        return paths
    }

    /// Returns the versions of a snapshot and of the roles that it announces.
    private static func versions(announcedBy snapshot: MetadataDocument) -> [String: Int64] {
        var versions = [TopRole.snapshot: snapshot.version]
        for (file, value) in snapshot.signed["meta"]?.members ?? [:] where file.text.hasSuffix(".json") {
            let role = String(file.text.dropLast(".json".count))
            // Names of top-level roles, in any case, are not those of delegated roles.
            guard role == TopRole.targets || !TopRole.all.contains(role.lowercased()) else { continue }
            versions[role] = value["version"]?.number
        }
        return versions
    }

    /// Returns a Boolean value that indicates whether a file is signed metadata of a role, of an earlier version, under
    /// the name of its version.
    private func isMetadata(_ name: String, of role: String, before current: Int64) -> Bool {
        guard let version = name.split(separator: ".").first.flatMap({ Int64($0) }), version < current,
            name == RepositoryStep.name(of: role, version),
            (try? FileStatus(path: "\(path)/metadata/\(name)", followsLinks: false))?.kind == .file,
            let document = try? document(role, name)
        else { return false }
        return document.version == version && document.hasSignatures
            && document.signed["_type"]?.text == (role == TopRole.snapshot ? TopRole.snapshot : TopRole.targets)
    }
}
