// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// The monitor of the host's conditions that reports increasing memory pressure and changes of the network.
///
/// Isolation: the main actor.
@MainActor
package final class HostConditionsMonitor {
    private let listening: Task<Void, Never>

    /// Creates a monitor, which starts immediately.
    /// - Parameters:
    ///   - conditions: the conditions of the host.
    ///   - release: a closure that is called each time memory pressure increases.
    ///   - networkChanged: a closure that is called after each change of the cost or the kind of the network.
    package init(
        _ conditions: any HostConditioning, release: @escaping @MainActor (MemoryPressure) -> Void,
        networkChanged: @escaping @MainActor () -> Void
    ) {
        let changes = conditions.changes()
        let first = conditions.conditions
        // The task ends with this object.
        listening = Task {
            var memory = HostConditions.Memory.normal
            var (network, kind) = (first.network, first.kind)
            for await conditions in changes {
                // A change of another condition must not release views that were prepared after the last release.
                if conditions.memory.isShorter(than: memory) {
                    release(conditions.memory == .critical ? .critical : .warning)
                }
                if (conditions.network, conditions.kind) != (network, kind) { networkChanged() }
                memory = conditions.memory
                (network, kind) = (conditions.network, conditions.kind)
            }
        }
    }

    deinit {
        listening.cancel()
    }
}

extension HostConditions.Memory {
    fileprivate func isShorter(than other: Self) -> Bool {
        switch (self, other) {
        case (.warning, .normal), (.critical, .normal), (.critical, .warning): true
        default: false
        }
    }
}
