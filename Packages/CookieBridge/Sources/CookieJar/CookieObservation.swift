// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// An observer's hold on a jar. Letting go of it changes nothing; cancelling does.
public struct CookieObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    /// Nothing is told any more, but for what is being told at this moment.
    public func cancel() {
        end()
    }
}
