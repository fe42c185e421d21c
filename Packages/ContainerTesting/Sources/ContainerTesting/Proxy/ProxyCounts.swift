// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// What a proxy counts over all of its connections.
///
/// Isolation: any.
final class ProxyCounts: Sendable {
    private let refused = Atomic(0)

    /// Requests or connections that brought no credentials, or others.
    var refusals: Int { refused.load() }

    func countRefusal() {
        refused.add(1)
    }
}
