// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The time since the creation of the stopwatch, on a clock of any type.
public struct Stopwatch: Sendable {
    private let read: @Sendable () -> Duration

    /// Starts a stopwatch.
    public init(_ clock: some Clock<Duration>) {
        let start = clock.now
        read = { start.duration(to: clock.now) }
    }

    /// The time since the start.
    public var elapsed: Duration { read() }
}
