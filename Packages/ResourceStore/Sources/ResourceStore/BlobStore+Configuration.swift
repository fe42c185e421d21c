// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

extension BlobStore {
    /// What a store may be told.
    public struct Configuration: Sendable {
        /// How many bytes of small blobs are kept in memory, with what each costs besides. Zero keeps none.
        /// Default: 10 MB.
        public var memoryCacheBytes: Int
        /// How many bytes the blobs of all generations may have together, each distinct blob counted once.
        /// Default: 500 MB.
        public var packageBudget: Int64
        /// How many bytes the resources may have together, see ``BlobStore/putResources(_:from:)``.
        /// Default: 100 MB.
        public var resourceBudget: Int64
        /// Blobs of up to this many bytes are rows, larger ones files. A store may be opened with another limit than
        /// it was written with. Default: 64 KB.
        public var smallBlobLimit: Int
        /// The day it is, as a number that counts up; the last use of a resource is noted by it. Default: days since
        /// 1970 by the system's clock.
        public var today: @Sendable () -> Int64

        /// Each option has the default that is named above.
        public init(
            memoryCacheBytes: Int = 10 << 20, packageBudget: Int64 = 500 << 20, resourceBudget: Int64 = 100 << 20,
            smallBlobLimit: Int = 64 << 10,
            today: @escaping @Sendable () -> Int64 = { Int64(Date().timeIntervalSince1970 / 86_400) }
        ) {
            self.memoryCacheBytes = memoryCacheBytes
            self.packageBudget = packageBudget
            self.resourceBudget = resourceBudget
            self.smallBlobLimit = smallBlobLimit
            self.today = today
        }
    }
}
