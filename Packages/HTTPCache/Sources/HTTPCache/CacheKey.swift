// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What stored responses are found by: the URL, within the cache of one top-level site.
public struct CacheKey: Sendable, Hashable {
    /// The site whose pages share the entry; empty where nothing is divided. Without control characters.
    public let partition: String
    /// The absolute URL, without its fragment.
    public let url: String

    public init(partition: String, url: String) {
        self.partition = partition
        self.url = url
    }
}
