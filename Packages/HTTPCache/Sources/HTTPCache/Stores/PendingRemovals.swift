// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The removals that could not be made on disk because the store was suspended or the disk failed.
struct PendingRemovals: Sendable {
    /// The maximum number of keys, and of variants of one key. Above the limit, everything is removed.
    static let limit = 256

    /// The variants by key; an empty set stands for all variants.
    private(set) var variants: [CacheKey: Set<String>] = [:]
    private(set) var isAll = false

    var isEmpty: Bool { !isAll && variants.isEmpty }

    /// Adds a removal.
    /// - Parameter variant: The variant, or `nil` for all variants of the key.
    mutating func add(_ key: CacheKey, variant: String?) {
        guard !isAll else { return }
        if let variant, variants[key]?.isEmpty != true {
            variants[key, default: []].insert(variant)
        } else {
            variants[key] = []
        }
        // The number of variants of a URL is unbounded because request fields can have any value.
        if variants.count > Self.limit || (variants[key]?.count ?? 0) > Self.limit { addAll() }
    }

    mutating func addAll() {
        variants = [:]
        isAll = true
    }

    func covers(_ key: CacheKey, variant: String) -> Bool {
        isAll || variants[key].map { $0.isEmpty || $0.contains(variant) } == true
    }
}
