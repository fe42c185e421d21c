// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// When an update takes effect: the host's choice. Pages that are open keep what they have in any case.
public enum ApplyTiming: String, Sendable, Hashable, Codable, CaseIterable {
    /// As soon as it is there.
    case now
    /// When the app is started the next time.
    case nextLaunch
    /// When the app goes to the background, or is started the next time.
    case inBackground
}
