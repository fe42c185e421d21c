// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading

extension TableLibrary {
    /// What a library may be told.
    public struct Configuration: Sendable {
        /// Where tables come from.
        public var endpoints: TableEndpoints
        /// The hosts for which tables may speak. `nil`, the default, for the hosts of ``endpoints``: a table that covers
        /// pages of other hosts, or whose files lie on other hosts, is refused as a whole.
        public var scope: TableScope?
        /// A Boolean value that indicates whether tables and files may come over `http` from other machines. Default:
        /// `false`.
        public var allowsInsecure = false
        /// Sent with each request for a table. Default: `Accept: application/json` and `Cache-Control: no-cache`.
        public var headerFields: HTTPFields = [.accept: "application/json", .cacheControl: "no-cache"]
        /// What a table may ask for. Default: ``TableLimits/default``.
        public var limits = TableLimits.default
        /// The most bytes of a file. Default: 20 MiB. A file is in memory while it is fetched.
        public var maxFileBytes = 20 << 20
        /// The most files that are fetched at once in the background. Default: 2.
        public var maxConcurrentDownloads = 2
        /// How often a file is tried in the background before it is left to its first use. Default: 3.
        public var maxAttempts = 3
        /// The longest that a source may take for its answer. Default: 30 seconds.
        public var answerLimit: Duration = .seconds(30)
        /// The longest that a file may take, and so the longest that a page waits for one. Default: 30 seconds.
        public var fileLimit: Duration = .seconds(30)
        /// For how many seconds a file that could not be fetched on its use is left to the next loader. Default: 30.
        public var retryInterval: TimeInterval = 30

        public init(endpoints: TableEndpoints) {
            self.endpoints = endpoints
        }

        private var effectiveScope: TableScope { scope ?? TableScope(of: endpoints) }

        /// Checks a table that came from a source or from the store.
        /// - Throws: ``TableError`` with code `outOfScope`.
        func check(_ table: URLTable) throws(TableError) {
            try effectiveScope.check(table)
        }

        /// Returns a Boolean value that indicates whether a redirect may be followed: one of a table if that stays
        /// secure, and one of a file if its target is also a host that files may be downloaded from.
        /// - Parameters:
        ///   - url: the URL that was asked for first.
        ///   - target: the target of the redirect.
        public func allowsRedirect(of url: String, to target: String) -> Bool {
            guard allowsInsecure || WebOrigin(url: target)?.isPotentiallyTrustworthy ?? false else { return false }
            return isEndpoint(url) || effectiveScope.allowsDownload(from: target)
        }

        private func isEndpoint(_ url: String) -> Bool {
            // A query may carry the local version.
            func bare(_ url: some StringProtocol) -> Substring { Substring(url).prefix { $0 != "?" } }
            return [endpoints.primary, endpoints.mirror].contains {
                $0.map { bare($0.description) == bare(url) } ?? false
            }
        }
    }
}

/// What happened since a table library was opened.
public struct TableCounters: Sendable, Hashable {
    /// Files fetched in the background.
    public var downloads = 0
    /// Files that could not be fetched in the background; each try counts.
    public var failedDownloads = 0
    /// Files fetched because a page asked.
    public var fills = 0
    /// Files that could not be fetched when a page asked; the request went to the next loader.
    public var failedFills = 0
    /// Files that the store could not read when a page asked.
    public var unreadableFiles = 0
    /// Files of the background that were given up, to be fetched on first use.
    public var givenUp = 0
    /// Calls that keep or remove something, and that the store refused.
    public var failedWrites = 0
    /// Documents that could not be understood when the library was opened.
    public var damagedDocuments = 0
}

/// What makes the host ask for a new table.
public enum TableTrigger: String, Sendable, Hashable, CaseIterable, Codable {
    /// The app was launched.
    case launch
    /// A web view opens.
    case open
    /// The app comes to the foreground.
    case foreground
    /// A web view closes.
    case close
}
