// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import PackageFormat
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

/// A target that devices do not use as a release.
package struct RefusedTarget: Sendable, Hashable {
    /// The role that lists the target.
    package let role: String
    /// The path of the target, or the pattern `PACKAGE/*` for all targets of a role.
    package let path: String
    /// The package that devices do not update because of the target, or `nil` if they ignore the target.
    package let package: PackageID?
    package let reason: String
}

extension TrustedTargets {
    /// One target, or one package whose targets are not known.
    private enum Listing {
        /// A target of a package. The role is `nil` for the top-level one.
        case target(TargetsContent.Target, path: String, of: PackageID, by: Delegations.Role?)
        /// A package whose role is refused.
        case failure(any Error, of: PackageID, by: Delegations.Role)
        /// A target of a delegated role that is not one of its packages.
        case foreign(path: String, by: Delegations.Role)
    }

    /// Returns the targets `PACKAGE/NAME` of all packages: those that the top-level role lists, and those of the role
    /// to which it delegates the pattern `PACKAGE/*`. If there are several such roles, the first one counts.
    ///
    /// Other patterns, hash prefixes, hash bins and further delegations are not followed, so that the work is bounded
    /// by the metadata of the publisher, and one team has no effect on the packages of others.
    /// - Throws: ``TrustError`` of the top-level role; `CancellationError`.
    func list() async throws -> [PackageID: PackageTargets] {
        var packages: [PackageID: PackageTargets] = [:]
        try await forEachListing { listing in
            switch listing {
            case .target(let target, let path, let package, let role):
                do throws(TrustError) {
                    let target = try makeTarget(target, path)
                    packages[package, default: PackageTargets()].targets.append((target, role?.scope))
                } catch {
                    packages[package, default: PackageTargets()].failure = error
                }
            case .failure(let error, let package, _): packages[package, default: PackageTargets()].failure = error
            case .foreign: break
            }
        }
        return packages
    }

    /// Returns the targets that are not valid releases, and those of delegated roles that devices ignore, sorted by
    /// role and path.
    /// - Throws: like ``list()``.
    package func refusals() async throws -> [RefusedTarget] {
        var refused: [RefusedTarget] = []
        try await forEachListing { listing in
            switch listing {
            case .target(let target, let path, let package, let role):
                do throws(TrustError) {
                    _ = try Release(try makeTarget(target, path), of: package, below: role?.scope)
                } catch {
                    refused.append(
                        RefusedTarget(
                            role: role?.name ?? Self.topLevelName.text, path: path, package: package,
                            reason: error.message))
                }
            case .failure(let error, let package, let role):
                let reason = (error as? TrustError)?.message ?? "\(error)"
                refused.append(RefusedTarget(role: role.name, path: "\(package)/*", package: package, reason: reason))
            case .foreign(let path, let role):
                let reason = "not a path of a package that is delegated to the role"
                refused.append(RefusedTarget(role: role.name, path: path, package: nil, reason: reason))
            }
        }
        return refused.sorted { ($0.role, $0.path) < ($1.role, $1.path) }
    }

    /// Reads the top-level role and the roles to which it delegates packages.
    /// - Throws: like ``list()``.
    private func forEachListing(_ body: (Listing) -> Void) async throws {
        let top = try await topLevel()
        for path in top.paths {
            guard let package = Self.package(of: path), let target = top.target(path) else { continue }
            body(.target(target, path: path, of: package, by: nil))
        }
        guard let delegations = top.delegations else { return }
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
                    if let package = Self.package(of: path), own.contains(package) {
                        guard let target = content.target(path) else { continue }
                        body(.target(target, path: path, of: package, by: role))
                    } else {
                        body(.foreign(path: path, by: role))
                    }
                }
            } catch let error as CancellationError {
                throw error
            } catch let error as TrustError where error.code == .unknownRole {
                // The role has published nothing yet. A snapshot from which it has disappeared is refused.
            } catch {
                for package in own { body(.failure(error, of: package, by: role)) }
            }
        }
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
