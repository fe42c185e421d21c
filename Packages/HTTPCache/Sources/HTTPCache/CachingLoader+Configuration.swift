// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension CachingLoader {
    /// What a cache may be told.
    public struct Configuration: Sendable {
        /// The rules. Default: those of a private cache.
        public var policy: CachePolicy
        /// Says which pages share entries; `nil` for all, as a reverse proxy wants. Default: those of one host.
        public var partitioning: (any SitePartitioning)?
        /// The most bytes of one stored response. Default: 16 MB.
        public var largestEntry: Int64
        /// The most bytes of one answer that wait for its slowest reader, a piece apart; one that is further behind is
        /// left to go on alone, where that can be. Default: 256 KB.
        public var readAhead: Int
        /// The most variants of one URL; the oldest goes for another. Default: 16.
        public var variantLimit: Int
        /// The most validations at a time that no request waits for. Default: 8.
        public var revalidationLimit: Int

        public init(
            policy: CachePolicy = CachePolicy(), partitioning: (any SitePartitioning)? = .host,
            largestEntry: Int64 = 16 << 20, readAhead: Int = 256 << 10, variantLimit: Int = 16,
            revalidationLimit: Int = 8
        ) {
            self.policy = policy
            self.partitioning = partitioning
            self.largestEntry = largestEntry
            self.readAhead = readAhead
            self.variantLimit = variantLimit
            self.revalidationLimit = revalidationLimit
        }

        /// For a cache that serves many users.
        public static var shared: Configuration {
            Configuration(policy: CachePolicy(scope: .shared), partitioning: nil)
        }
    }
}
