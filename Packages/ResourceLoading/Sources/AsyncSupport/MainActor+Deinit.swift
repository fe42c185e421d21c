// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

extension MainActor {
    /// Runs an operation at once if the caller is on the main actor, otherwise later.
    ///
    /// Call it in the `deinit` of a class of the main actor, which may run on any thread. `isolated deinit` needs
    /// iOS 18.4 and macOS 15.4. The operation must capture the values that it needs instead of `self`.
    public static func runInDeinit(_ operation: @escaping @MainActor () -> Void) {
        if #available(iOS 26, macOS 26, *) {
            Task.immediate { @MainActor in operation() }
        } else if Thread.isMainThread {
            MainActor.assumeIsolated(operation)
        } else {
            Task { @MainActor in operation() }
        }
    }
}
