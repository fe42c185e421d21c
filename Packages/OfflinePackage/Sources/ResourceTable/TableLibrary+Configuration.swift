// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TableLibrary {
    /// What a library may be told.
    public struct Configuration: Sendable {
        /// Where tables come from.
        public var endpoints: TableEndpoints
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
    }
}
