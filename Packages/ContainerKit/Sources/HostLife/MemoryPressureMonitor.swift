// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// The monitor of the host's conditions that releases memory each time memory pressure increases.
///
/// Isolation: the main actor.
@MainActor
package final class MemoryPressureMonitor {
    private let listening: Task<Void, Never>

    package init(_ conditions: any HostConditioning, release: @escaping @MainActor (MemoryPressure) -> Void) {
        let changes = conditions.changes()
        // The task ends with this object.
        listening = Task {
            var last = HostConditions.Memory.normal
            for await conditions in changes {
                // A change of another condition must not release views that were prepared after the last release.
                if conditions.memory.isShorter(than: last) {
                    release(conditions.memory == .critical ? .critical : .warning)
                }
                last = conditions.memory
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
