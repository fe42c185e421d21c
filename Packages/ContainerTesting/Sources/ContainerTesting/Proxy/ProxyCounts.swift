// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Synchronization

/// What a proxy counts over all of its connections.
///
/// Isolation: any.
final class ProxyCounts: Sendable {
    private let refused = Atomic(0)

    /// Requests or connections that brought no credentials, or others.
    var refusals: Int { refused.load(ordering: .relaxed) }

    func countRefusal() {
        refused.add(1, ordering: .relaxed)
    }
}
