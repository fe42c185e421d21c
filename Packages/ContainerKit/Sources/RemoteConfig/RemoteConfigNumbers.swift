// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The numbers of a remote config document that replace the numbers of the host; `nil` leaves the host's number
/// unchanged. Each number applies when a container is opened, and only if the host uses the feature.
public struct RemoteConfigNumbers: Sendable, Hashable {
    /// The time that a prefetched response waits for the request of its page, in seconds: 1 to 300.
    public var prefetchSeconds: Int?
    /// The fixed number of warm views: 0 to 8.
    public var poolCapacity: Int?
    /// The maximum number of bytes of the HTTP cache in memory: 0 to 128 MiB.
    public var httpCacheMemoryBytes: Int?
    /// The maximum number of bytes of the HTTP cache on disk: 0 to 2 GiB.
    public var httpCacheDiskBytes: Int?

    /// The numbers with their JSON names and their ranges.
    @_spi(Fuzzing) public static var bounds:
        [(name: String, number: WritableKeyPath<RemoteConfigNumbers, Int?>, range: ClosedRange<Int>)]
    {
        [
            ("prefetchSeconds", \.prefetchSeconds, 1...300),
            ("poolCapacity", \.poolCapacity, 0...8),
            ("httpCacheMemoryBytes", \.httpCacheMemoryBytes, 0...128 << 20),
            ("httpCacheDiskBytes", \.httpCacheDiskBytes, 0...2 << 30),
        ]
    }

    /// Creates numbers that are all `nil`.
    public init() {}
}
