// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebEngine

/// Listens to the host's conditions, and asks for memory back each time that it becomes shorter.
///
/// Isolation: the main actor.
@MainActor
final class MemoryPressureMonitor {
    private let listening: Task<Void, Never>

    init(_ conditions: any HostConditioning, release: @escaping @MainActor (MemoryPressure) -> Void) {
        let changes = conditions.changes()
        // Owned: it ends with this object.
        listening = Task {
            var last = HostConditions.Memory.normal
            for await conditions in changes {
                // Other conditions change too, and views that were warmed meanwhile are not in the way then.
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
