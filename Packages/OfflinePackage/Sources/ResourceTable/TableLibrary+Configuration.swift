// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading

extension TableLibrary {
    /// The options of a library.
    public struct Configuration: Sendable {
        /// The sources of tables.
        public var endpoints: TableEndpoints
        /// The hosts that tables may cover. If `nil`, the default, these are the hosts of ``endpoints``.
        ///
        /// A table that covers pages of other hosts, or whose files are on other hosts, is rejected as a whole.
        public var scope: TableScope?
        /// A Boolean value that indicates whether tables and files may be fetched over `http` from other machines.
        /// Default: `false`.
        public var allowsInsecure = false
        /// The header fields of each request for a table. Default: `Accept: application/json` and `Cache-Control:
        /// no-cache`.
        public var headerFields: HTTPFields = [.accept: "application/json", .cacheControl: "no-cache"]
        /// The limits of a table. Default: ``TableLimits/default``.
        public var limits = TableLimits.default
        /// The maximum number of bytes of a file, which is in memory while it is fetched. Default: 20 MiB.
        public var maxFileBytes = 20 << 20
        /// The maximum number of concurrent background downloads. Default: 2.
        public var maxConcurrentDownloads = 2
        /// The maximum time of a request for a table. Default: 30 seconds.
        public var answerLimit: Duration = .seconds(30)
        /// The number of seconds after a failed fetch on use in which requests for the file are passed to the next
        /// loader. Default: 30.
        public var retryInterval: TimeInterval = 30

        /// Creates options.
        public init(endpoints: TableEndpoints) {
            self.endpoints = endpoints
        }

        private var effectiveScope: TableScope { scope ?? TableScope(of: endpoints) }

        /// Checks a table from a source or from the store.
        /// - Throws: ``TableError`` with code `outOfScope`.
        func check(_ table: URLTable) throws(TableError) {
            try effectiveScope.check(table)
        }

        /// Returns a Boolean value that indicates whether a redirect may be followed.
        ///
        /// The target must be secure. For a file it must also be a host that files may be downloaded from.
        /// - Parameters:
        ///   - url: the URL of the first request.
        ///   - target: the target of the redirect.
        public func allowsRedirect(of url: String, to target: String) -> Bool {
            guard allowsInsecure || WebOrigin(url: target)?.isPotentiallyTrustworthy ?? false else { return false }
            return isEndpoint(url) || effectiveScope.allowsDownload(from: target)
        }

        private func isEndpoint(_ url: String) -> Bool {
            // The queries are not compared, because the query may contain the local version.
            func bare(_ url: some StringProtocol) -> Substring { Substring(url).prefix { $0 != "?" } }
            return [endpoints.primary, endpoints.mirror].contains {
                $0.map { bare($0.description) == bare(url) } ?? false
            }
        }
    }
}

/// The counters of a table library since it was opened.
public struct TableCounters: Sendable, Hashable {
    /// The number of files that were fetched in the background.
    public var downloads = 0
    /// The number of failed background attempts to fetch a file.
    public var failedDownloads = 0
    /// The number of files that were fetched because of a page's request.
    public var fills = 0
    /// The number of failed fetches because of a page's request; the request was passed to the next loader.
    public var failedFills = 0
    /// The number of files that the store could not read for a page's request.
    public var unreadableFiles = 0
    /// The number of files that reached the limit of background attempts and are fetched on first use.
    public var abandonedDownloads = 0
    /// The number of failed write and remove operations of the store.
    public var failedWrites = 0
    /// The number of entries that cannot be used, in the table that was restored and in each one that replaced it.
    public var invalidEntries = 0
    /// The number of stored documents that could not be decoded when the library was opened.
    public var damagedDocuments = 0
}

/// An event that triggers a check for a new table.
public enum TableTrigger: String, Sendable, Hashable, CaseIterable, Codable {
    /// The app was launched.
    case launch
    /// A web view was opened.
    case open
    /// The app entered the foreground.
    case foreground
    /// A web view was closed.
    case close
}

/// The result of a trigger.
public enum TableCheckResult: Sendable {
    /// No source was requested, because the last check began less than 30 seconds ago or is running.
    case dropped
    /// The device has no network.
    case offline
    /// The table has not changed, or the mirror only has an older one.
    case unchanged(TableSource)
    /// The source's table has replaced the local one.
    case replaced(TableSource, TableDiff)
    /// All requested sources failed. The error is that of the last one.
    case failed(TableError)
}

/// A source of the table.
public enum TableSource: String, Sendable, Hashable, Codable {
    /// The server that creates the tables.
    case primary
    /// The copy on a CDN, used while the server fails.
    case mirror
}
