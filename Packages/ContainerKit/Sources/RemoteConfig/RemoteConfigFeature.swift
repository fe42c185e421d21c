// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What remote config turns on and off one by one. Features are added over time: keep a default when switching.
public enum RemoteConfigFeature: String, Sendable, Hashable, CaseIterable {
    /// Packages answer requests and cover pages, installed or on their way. They are kept up to date even while this is
    /// off, so that they are there when it is on again.
    case packages
    /// Answers are asked for when a page is opened, before the page asks; the prefetch table is renewed.
    case prefetch
    /// The HTTP cache answers requests and keeps answers.
    case httpCache
    /// The resource table answers requests and covers pages, and is renewed.
    case resourceTable
    /// Views are made and warmed before they are needed.
    case pool
    /// Pages that stay white are seen, and something is done.
    case blankPages = "whitePages"
}

/// On, off, or on for some devices.
public enum RemoteConfigRollOut: Sendable, Hashable {
    case on
    case off
    /// On for the devices whose bucket is below `perMille`, 0 to 1,000; see ``RolloutBucket``.
    case partial(perMille: Int, salt: String)

    /// Whether it is on for a device.
    public func isOn(for device: RolloutBucket) -> Bool {
        switch self {
        case .on: true
        case .off: false
        case .partial(let perMille, let salt): device.number(salt: salt) < perMille
        }
    }
}

/// In which mode pages are opened.
public enum RemoteConfigMode: String, Sendable, Hashable, CaseIterable {
    /// As if there were no container.
    case plain
    /// In the mode that the container is configured with, where they are covered.
    case configured
    /// By the custom scheme, where they are covered. These three count in a container that has the mode in use.
    case customScheme = "scheme"
    /// By the proxy.
    case loopbackProxy = "proxy"
    /// At the local server.
    case loopbackServer = "server"
}
