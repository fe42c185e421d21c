// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A store has lost what it held, by itself, as where the process that keeps it has ended: what is missing now nobody has
/// deleted. A store throws it once for each loss, in place of a snapshot, and is then read again.
public struct CookieStoreLoss: Error, Sendable, Hashable {
    public init() {}
}
