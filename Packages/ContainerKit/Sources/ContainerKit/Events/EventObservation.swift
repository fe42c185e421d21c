// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The registration of an observer of a container's events. Releasing it does not remove the observer.
@MainActor
@_spi(Testing) public final class EventObservation {
    private var stop: (@MainActor () -> Void)?

    init(_ stop: @escaping @MainActor () -> Void) {
        self.stop = stop
    }

    /// Removes the observer.
    public func end() {
        stop?()
        stop = nil
    }
}
