// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The numbers of a remote config document that replace the host's; `nil` leaves the host's unchanged. Each number
/// applies when a container is opened, and only if the host uses its feature.
public struct RemoteConfigNumbers: Sendable, Hashable {
    /// The time that a prefetched response waits for its page, in seconds: 1 to 300.
    public var prefetchSeconds: Int?
    /// The fixed number of warm views: 0 to 8.
    public var poolCapacity: Int?
    /// The most bytes of the HTTP cache in memory: 0 to 128 MiB.
    public var httpCacheMemoryBytes: Int?
    /// The most bytes of the HTTP cache on disk: 0 to 2 GiB.
    public var httpCacheDiskBytes: Int?

    /// The names in a document and their bounds.
    @_spi(Fuzzing) public static let bounds: [(name: String, range: ClosedRange<Int>)] = [
        ("prefetchSeconds", 1...300),
        ("poolCapacity", 0...8),
        ("httpCacheMemoryBytes", 0...128 << 20),
        ("httpCacheDiskBytes", 0...2 << 30),
    ]

    /// Creates numbers that leave the host's unchanged.
    public init() {}

    /// The number with a name of a document.
    @_spi(Fuzzing) public subscript(name: String) -> Int? {
        get {
            switch name {
            case "prefetchSeconds": prefetchSeconds
            case "poolCapacity": poolCapacity
            case "httpCacheMemoryBytes": httpCacheMemoryBytes
            case "httpCacheDiskBytes": httpCacheDiskBytes
            default: nil
            }
        }
        set {
            switch name {
            case "prefetchSeconds": prefetchSeconds = newValue
            case "poolCapacity": poolCapacity = newValue
            case "httpCacheMemoryBytes": httpCacheMemoryBytes = newValue
            case "httpCacheDiskBytes": httpCacheDiskBytes = newValue
            default: break
            }
        }
    }
}
