// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The counters of all connections of a proxy.
///
/// Isolation: any.
final class ProxyCounts: Sendable {
    private let refused = Atomic(0)

    /// The number of requests or connections with missing or wrong credentials.
    var refusals: Int { refused.load() }

    func countRefusal() {
        refused.add(1)
    }
}
