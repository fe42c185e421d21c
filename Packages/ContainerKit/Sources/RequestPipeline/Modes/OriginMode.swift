// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How pages of an origin open, where nothing decides over it but what covers them.
public enum OriginMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// In the mode that is named for them, or else the container's own, also while nothing covers them.
    case intercepted
    /// In plain mode, also where something covers them.
    case plain
}

/// What becomes of an origin that has been opened once, in modes that change the origin which its pages see: what they
/// store belongs to that, so that a page that changes the mode finds nothing of what it had stored.
///
/// Rules, the deny list and the switches go before it, as they are the host's own word.
public enum OriginModePolicy: Sendable, Hashable {
    /// Pages are intercepted while something covers them, and plain when it is gone.
    case followsInterceptionPolicy
    /// Pages that were intercepted once stay so when what covered them is gone, as after a rollback. Others are
    /// intercepted as soon as something covers them.
    case staysIntercepted
    /// Pages stay as they were opened first. Where a package is to cover an origin later, name its host in
    /// `ContainerConfiguration.Network.coveredHosts` from the beginning, or call `Container.setMode(_:ofOrigin:)`.
    case asFirstOpened
}
