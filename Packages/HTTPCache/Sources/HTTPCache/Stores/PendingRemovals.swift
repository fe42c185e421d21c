// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What the disk should no longer hold and could not be told, since it was suspended or failed.
struct PendingRemovals: Sendable {
    /// How many keys are kept apart; beyond that all goes.
    static let limit = 256

    /// Variants by key; none for all of them.
    private(set) var variants: [CacheKey: Set<String>] = [:]
    private(set) var isAll = false

    var isEmpty: Bool { !isAll && variants.isEmpty }

    /// - Parameter variant: `nil` for all of the key.
    mutating func add(_ key: CacheKey, variant: String?) {
        guard !isAll else { return }
        if let variant, variants[key]?.isEmpty != true {
            variants[key, default: []].insert(variant)
        } else {
            variants[key] = []
        }
        // A URL has as many variants as the headers of its requests have values.
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
