// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What becomes of a request: the two ways there are.
public enum RouteAction: String, Sendable, Hashable, CaseIterable {
    /// The container answers it.
    case intercept
    /// The container keeps out of it.
    case pass
}
