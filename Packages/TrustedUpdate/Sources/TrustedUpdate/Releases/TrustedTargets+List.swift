// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import WebSyntax

/// A target as a search finds it.
struct ListedTarget: Sendable {
    let target: TrustedTarget
    /// The URLs below which the scope of a release must lie, of all delegations that lead to the role.
    let scopes: [String]
    /// A Boolean value that indicates whether the metadata of its role is verified as current. If it is not, the target
    /// is known, but must not be used.
    let isCurrent: Bool
}

extension TrustedTargets {
    /// A role with the roles to which it delegates.
    private struct Branch {
        let chain: [ByteText]
        let content: TargetsContent
        let isCurrent: Bool
        let scopes: [String]
        var children: [Branch] = []
    }

    /// Returns all targets, each of the role in which a search finds it. Roles of hash bins are not listed.
    ///
    /// If the metadata of a delegated role is refused, for example because it has expired, its stored metadata is
    /// listed as not current. Otherwise, one team could hide the packages of others, or remove its own from devices.
    /// - Throws: ``TrustError`` if there are more delegated roles than the limit; the error of a failed request.
    func list() async throws -> [ListedTarget] {
        let top = try await topLevel()
        var count = 0
        let tree = try await branch([ByteText(TopLevelRole.targets.rawValue)], top, isCurrent: true, scopes: [], &count)
        var listed: [ListedTarget] = []
        for branch in Self.preorder(tree) {
            for path in branch.content.paths.sorted() where Self.owner(of: path, in: tree) == branch.chain {
                guard let target = branch.content.target(path) else { continue }
                listed.append(
                    ListedTarget(
                        target: try makeTarget(target, path), scopes: branch.scopes, isCurrent: branch.isCurrent))
            }
        }
        return listed
    }

    private func branch(
        _ chain: [ByteText], _ content: TargetsContent, isCurrent: Bool, scopes: [String], _ count: inout Int
    ) async throws -> Branch {
        var branch = Branch(chain: chain, content: content, isCurrent: isCurrent, scopes: scopes)
        guard let delegations = content.delegations else { return branch }
        for role in delegations.allRoles where !chain.contains(ByteText(role.name)) {
            count += 1
            guard count <= limits.delegations else {
                throw TrustError(.tooLarge, "more than \(limits.delegations) delegated roles", at: role.name)
            }
            var (child, isCurrent) = (TargetsContent?.none, isCurrent)
            do {
                child = try await self.content(of: role, delegations, below: chain)
            } catch is TrustError {
                (child, isCurrent) = (storedContent(of: role, delegations), false)
            }
            guard let child else { continue }
            branch.children.append(
                try await self.branch(
                    chain + [ByteText(role.name)], child, isCurrent: isCurrent,
                    scopes: scopes + [role.scope].compactMap(\.self), &count))
        }
        return branch
    }

    private static func preorder(_ branch: Branch) -> [Branch] { [branch] + branch.children.flatMap(preorder) }

    /// Returns the chain of the role in which a search finds a target, or `nil` if it finds none, or if it visits a role
    /// whose metadata is not known.
    private static func owner(of path: String, in tree: Branch) -> [ByteText]? {
        let digest = SHA256Digest(of: Data(path.utf8)).bytes
        var visited: Set<ByteText> = []
        var waiting = [tree]
        while let branch = waiting.popLast() {
            guard let name = branch.chain.last, visited.insert(name).inserted else { continue }
            if branch.content.target(path) != nil { return branch.chain }
            guard let delegations = branch.content.delegations else { continue }
            let roles = delegations.roles(for: path, digest: digest)
            if roles.last?.isTerminating == true { waiting = [] }
            for role in roles.reversed() where !visited.contains(ByteText(role.name)) {
                guard let child = branch.children.first(where: { $0.chain.last == ByteText(role.name) }) else {
                    return nil
                }
                waiting.append(child)
            }
        }
        return nil
    }
}
