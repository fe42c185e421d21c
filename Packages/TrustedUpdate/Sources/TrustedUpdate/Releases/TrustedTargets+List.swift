// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageFormat
internal import WebSyntax

/// The targets of one package.
struct PackageTargets: Sendable {
    /// The targets, each with the URL below which the scope of its release must lie, or `nil` for any.
    var targets: [(target: TrustedTarget, scope: String?)] = []
    /// The reason for which the package has targets that are not known or not allowed: a `TrustError`, or the error of
    /// a request. Then no target of it may be used, because a server could choose among its releases by withholding
    /// some.
    var failure: (any Error)?
}

extension TrustedTargets {
    /// Returns the targets `PACKAGE/NAME` of all packages: those that the top-level role lists, and those of the role
    /// to which it delegates the pattern `PACKAGE/*`. If there are several such roles, the first one counts.
    ///
    /// Other patterns, hash prefixes, hash bins and further delegations are not followed, so that the work is bounded
    /// by the metadata of the publisher, and one team has no effect on the packages of others.
    /// - Throws: ``TrustError`` of the top-level role; `CancellationError`.
    func list() async throws -> [PackageID: PackageTargets] {
        let top = try await topLevel()
        var packages: [PackageID: PackageTargets] = [:]
        func add(_ content: TargetsContent, _ path: String, of package: PackageID, scope: String?) {
            guard let target = content.target(path) else { return }
            do throws(TrustError) {
                packages[package, default: PackageTargets()].targets.append((try makeTarget(target, path), scope))
            } catch {
                packages[package, default: PackageTargets()].failure = error
            }
        }
        for path in top.paths {
            if let package = Self.package(of: path) { add(top, path, of: package, scope: nil) }
        }
        guard let delegations = top.delegations else { return packages }
        var delegated: Set<PackageID> = []
        var count = 0
        for role in delegations.allRoles {
            let own = Set(role.paths.compactMap(Self.package(ofPattern:))).subtracting(delegated)
            guard !own.isEmpty else { continue }
            delegated.formUnion(own)
            count += 1
            do {
                guard count <= limits.delegations else {
                    throw TrustError(.tooLarge, "more than \(limits.delegations) delegated roles", at: role.name)
                }
                let content = try await content(of: role, delegations, below: [Self.topLevelName])
                forget([Self.topLevelName, ByteText(role.name)])
                for path in content.paths where top.target(path) == nil {
                    guard let package = Self.package(of: path), own.contains(package) else { continue }
                    add(content, path, of: package, scope: role.scope)
                }
            } catch let error as CancellationError {
                throw error
            } catch let error as TrustError where error.code == .unknownRole {
                // The role has published nothing yet. A snapshot from which it has disappeared is refused.
            } catch {
                for package in own { packages[package, default: PackageTargets()].failure = error }
            }
        }
        return packages
    }

    /// Returns the package of a path `PACKAGE/NAME`, or `nil` for other paths.
    private static func package(of path: String) -> PackageID? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[1].isEmpty else { return nil }
        return try? PackageID(String(Substring(parts[0])))
    }

    /// Returns the package of a pattern `PACKAGE/*`, or `nil` for other patterns.
    private static func package(ofPattern pattern: String) -> PackageID? {
        // Identifiers of packages have no characters with a meaning in patterns.
        pattern.hasSuffix("/*") ? package(of: pattern) : nil
    }
}
