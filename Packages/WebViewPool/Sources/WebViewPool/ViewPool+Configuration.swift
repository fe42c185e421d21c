// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension ViewPool {
    /// How a pool works.
    public struct Configuration: Sendable {
        /// How many views are kept warm; ``PoolCapacity/standard-type.property`` by default.
        public var capacity: PoolCapacity
        /// How many pages a view, and what takes its place at resets, serves before it ends; 50 by default, at least 1.
        /// A web process that showed many pages is not as small as a new one.
        public var reuseLimit: Int

        /// A configuration with the default options.
        public init(capacity: PoolCapacity = .standard, reuseLimit: Int = 50) {
            self.capacity = capacity
            self.reuseLimit = reuseLimit
        }
    }
}
