// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
package import OfflinePackage
package import PackageFormat
package import ResourceLoading

/// The pages and packages of a container, as the interface of a page uses them.
///
/// Isolation: the main actor.
@MainActor
package protocol PageInterfaceHost: AnyObject {
    /// Returns a page with its current document and its pinned generations, or `nil` if the page is closed.
    func reference(of page: PageID) -> PageReference?

    /// Returns a Boolean value that indicates whether a page at a URL in the engine is intercepted now.
    func isCovered(_ place: String) -> Bool

    /// Returns the packages that a page is pinned to and whose base URL covers its document, in any order.
    func packages(of page: PageID) -> [InstalledPackage]

    /// Returns the active version of a package, or `nil` if there is none.
    func activePackage(_ id: PackageID) -> InstalledPackage?

    /// Returns a Boolean value that indicates whether ``adoptActiveVersions(of:)`` would pin a page to a version.
    func canAdopt(_ package: InstalledPackage, for page: PageID) -> Bool

    /// Reports the boot state of a page to the trials of its generations.
    func report(_ kind: BootReport.Kind, of page: PageReference)

    /// Pins a page to the active version of each package, if one that covers its document has another active version,
    /// and prepares the engine for the reload. Returns in bounded time.
    /// - Returns: `true` if the page now uses other generations.
    func adoptActiveVersions(of page: PageID) async -> Bool

    /// Reports a call of a page.
    func page(_ page: PageID, did event: PageInterfaceEvent)
}

extension PageInterfaceHost {
    /// The package of a page's document: the one with the longest base path, then the latest generation.
    func package(of page: PageID) -> InstalledPackage? {
        packages(of: page).max {
            ($0.baseURL.description.utf8.count, $0.generation.number)
                < ($1.baseURL.description.utf8.count, $1.generation.number)
        }
    }
}

/// The notifications that wait for a document, at most one of each type. The newest replaces an older one.
struct PageInterfaceNotifications: Encodable, Hashable {
    /// A version of a package.
    struct Version: Encodable, Hashable {
        let id: String
        let version: String

        init(_ id: PackageID, _ version: PackageVersion) {
            (self.id, self.version) = (id.description, version.description)
        }
    }

    /// The state of the network.
    struct Network: Encodable, Hashable {
        /// A Boolean value that indicates whether there is a network.
        let online: Bool
        /// A Boolean value that indicates whether traffic may cost money; `null` if unknown.
        let metered: Bool?

        init(_ conditions: HostConditions) {
            online = conditions.network != .none
            metered = conditions.network == .metered ? true : conditions.network == .unmetered ? false : nil
        }

        private enum CodingKeys: CodingKey { case online, metered }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(online, forKey: .online)
            // Encodes `null`, so that the member exists.
            try container.encode(metered, forKey: .metered)
        }
    }

    /// A version that is installed and waits for its activation.
    var update: Version?
    /// The active version, if the document uses another one.
    var activated: Version?
    var network: Network?
}

extension Encodable {
    /// The value as JSON for a script. The values of this module can always be encoded.
    var scriptJSON: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}
