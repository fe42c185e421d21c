// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A gate that suspends callers until a test opens it.
@MainActor
final class Gate {
    private var isOpen = false
    private var held: [CheckedContinuation<Void, Never>] = []
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// Returns when the gate is open.
    func pass() async {
        if isOpen { return }
        await withCheckedContinuation { continuation in
            held.append(continuation)
            for watcher in watchers where watcher.count <= held.count { watcher.continuation.resume() }
            watchers.removeAll { $0.count <= held.count }
        }
    }

    /// Returns when `count` callers are suspended.
    func holds(_ count: Int) async {
        if held.count >= count { return }
        await withCheckedContinuation { watchers.append((count, $0)) }
    }

    /// Resumes all suspended callers. Later callers are not suspended.
    func open() {
        isOpen = true
        for continuation in held { continuation.resume() }
        held.removeAll()
    }
}
