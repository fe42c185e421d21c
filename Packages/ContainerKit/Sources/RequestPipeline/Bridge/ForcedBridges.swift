// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The bridges that pages in loopback modes get for tests, although their engine needs none. The tests check whether
/// pages can detect a bridge. In custom-scheme mode all bridges are always on. The mode `httpsTakeover` uses ``body``.
@_spi(Testing) public struct ForcedBridges: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// The bridge of request bodies: `fetch`, `XMLHttpRequest`, forms, beacons, and URLs that scripts write.
    public static let body = ForcedBridges(rawValue: 1 << 0)
    /// The bridge of `document.cookie`. It reads and sets the engine's cookies, because the engine sends them with the
    /// page's requests. The container's jar is used in custom-scheme mode only.
    public static let cookie = ForcedBridges(rawValue: 1 << 1)
}
