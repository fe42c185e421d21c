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

    /// The state of a walk over all roles.
    private struct Walk {
        /// The number of delegated roles so far.
        var count = 0
        /// The patterns of the roles whose metadata is not known.
        var hidden: [String] = []
    }

    /// Returns all targets, each of the role in which a search finds it. Roles of hash bins are not listed.
    ///
    /// If the metadata of a delegated role is refused, for example because it has expired, its stored metadata is
    /// listed as not current. Otherwise, one team could hide the packages of others, or remove its own from devices.
    /// - Returns: the targets; and the paths of the targets that are not listed because they or their roles are
    ///   refused, or because there are more delegated roles than the limit. They are patterns where only these are
    ///   known.
    /// - Throws: the error of a failed request.
    func list() async throws -> (targets: [ListedTarget], hidden: [String]) {
        let top = try await topLevel()
        var walk = Walk()
        let tree = try await branch([Self.topLevelName], top, isCurrent: true, scopes: [], paths: nil, &walk)
        var (listed, hidden) = ([ListedTarget](), walk.hidden)
        let branches = Self.preorder(tree)
        listed.reserveCapacity(branches.reduce(0) { $0 + $1.content.count })
        for branch in branches {
            for path in branch.content.paths.sorted() {
                switch Self.owner(of: path, in: tree) {
                case .role(let chain) where chain == branch.chain:
                    if let content = branch.content.target(path), let target = try? makeTarget(content, path) {
                        listed.append(ListedTarget(target: target, scopes: branch.scopes, isCurrent: branch.isCurrent))
                    } else {
                        hidden.append(path)
                    }
                case .unknown: hidden.append(path)
                case .role, .none: break
                }
            }
        }
        return (listed, hidden)
    }

    /// - Parameter paths: the patterns of the delegation by the top-level role, below which all others lie; `nil` for
    ///   that role itself.
    private func branch(
        _ chain: [ByteText], _ content: TargetsContent, isCurrent: Bool, scopes: [String], paths: [String]?,
        _ walk: inout Walk
    ) async throws -> Branch {
        var branch = Branch(chain: chain, content: content, isCurrent: isCurrent, scopes: scopes)
        guard let delegations = content.delegations else { return branch }
        let roles = delegations.allRoles.filter { !chain.contains(ByteText($0.name)) }
        // All roles of a delegator count before the roles below them, so that one team cannot use up the limit.
        let allowed = roles.prefix(limits.delegations - walk.count)
        walk.count += allowed.count
        walk.hidden += roles.dropFirst(allowed.count).flatMap { paths ?? $0.paths }
        for role in allowed {
            var (child, isCurrent) = (TargetsContent?.none, isCurrent)
            do {
                child = try await self.content(of: role, delegations, below: chain)
            } catch is TrustError {
                (child, isCurrent) = (storedContent(of: role, delegations), false)
            }
            guard let child else {
                walk.hidden += paths ?? role.paths
                continue
            }
            branch.children.append(
                try await self.branch(
                    chain + [ByteText(role.name)], child, isCurrent: isCurrent,
                    scopes: scopes + [role.scope].compactMap(\.self), paths: paths ?? role.paths, &walk))
        }
        return branch
    }

    private static func preorder(_ branch: Branch) -> [Branch] { [branch] + branch.children.flatMap(preorder) }

    /// The result of a search for a target.
    private enum Owner {
        /// The chain of the role in which the search finds the target.
        case role([ByteText])
        case none
        /// The search visits a role whose metadata is not known.
        case unknown
    }

    private static func owner(of path: String, in tree: Branch) -> Owner {
        let digest = SHA256Digest(of: Data(path.utf8)).bytes
        var visited: Set<ByteText> = []
        var waiting = [tree]
        while let branch = waiting.popLast() {
            guard let name = branch.chain.last, visited.insert(name).inserted else { continue }
            if branch.content.target(path) != nil { return .role(branch.chain) }
            guard let delegations = branch.content.delegations else { continue }
            let roles = delegations.roles(for: path, digest: digest)
            if roles.last?.isTerminating == true { waiting = [] }
            for role in roles.reversed() where !visited.contains(ByteText(role.name)) {
                guard let child = branch.children.first(where: { $0.chain.last == ByteText(role.name) }) else {
                    return .unknown
                }
                waiting.append(child)
            }
        }
        return .none
    }
}
