// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// What keeps an observer of a container's events listening; also after it is dropped.
@MainActor
public final class EventObservation {
    private var stop: (@MainActor () -> Void)?

    init(_ stop: @escaping @MainActor () -> Void) {
        self.stop = stop
    }

    /// Ends it: the observer goes, and hears nothing more.
    public func end() {
        stop?()
        stop = nil
    }
}
