// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Bridges that pages by the proxy and at the local server get although their engine loses nothing: for tests, which see by
/// it whether a page can tell that they are there. In custom-scheme mode they are always on.
@_spi(Testing) public struct ForcedBridges: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// What sends bodies: `fetch`, `XMLHttpRequest`, forms, beacons, and the URLs that scripts write.
    public static let body = ForcedBridges(rawValue: 1 << 0)
    /// `document.cookie`. It reads and sets the engine's own cookies, since those go with the page's requests: the
    /// container's jar, which it has in custom-scheme mode, is not in use here.
    public static let cookie = ForcedBridges(rawValue: 1 << 1)
}
