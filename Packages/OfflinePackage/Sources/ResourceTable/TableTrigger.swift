// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What makes the host ask for a new table.
public enum TableTrigger: String, Sendable, Hashable, CaseIterable, Codable {
    /// The app was launched.
    case launch
    /// A web view opens.
    case open
    /// The app comes to the foreground.
    case foreground
    /// A web view closes.
    case close
}
