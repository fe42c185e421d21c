// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The recorded or configured mode of an origin.
public enum OriginMode: String, Sendable, Hashable, CaseIterable, Codable {
    /// Pages open in the mode that is configured for them, or in the container's standard mode, even if they are not
    /// covered.
    case intercepted
    /// Pages open in plain mode, even if they are covered.
    case plain
}

/// The policy for the mode of an origin after its first page. It applies to modes that change the origin of pages: a
/// page whose mode changes loses access to its stored data, because the data belongs to the origin.
///
/// Route rules, the deny list and the switches precede this policy, because they are explicit decisions of the host.
public enum OriginModePolicy: Sendable, Hashable {
    /// Pages are intercepted only while they are covered.
    case followsInterceptionPolicy
    /// An origin that was intercepted once remains intercepted, even if it is no longer covered, for example after a
    /// rollback. Other origins are intercepted when they become covered.
    case staysIntercepted
    /// Origins keep the mode of their first page. If a package will cover an origin later, add its host to
    /// `ContainerConfiguration.Network.coveredHosts` from the beginning, or call `Container.setMode(_:ofOrigin:)`.
    case asFirstOpened
}
