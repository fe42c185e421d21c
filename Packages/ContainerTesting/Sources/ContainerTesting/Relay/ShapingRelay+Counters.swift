// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension ShapingRelay {
    /// The counters of a relay.
    public struct Counters: Sendable, Hashable {
        /// The number of bytes delivered to clients.
        public var bytesDown: Int64 = 0
        /// The number of bytes delivered to the target.
        public var bytesUp: Int64 = 0
        /// The number of accepted connections, including refused ones.
        public var connections = 0
        /// The number of connections that were reset immediately: offline, over the limit, or without a target.
        public var refused = 0
        /// The largest number of bytes that a connection has held in one direction: read, and not yet accepted by the
        /// other side.
        public var mostHeld = 0
        /// The time that the link to the clients has been sending, by its own clock.
        public var busyDown: Duration = .zero
        /// The time that the link to the target has been sending, by its own clock.
        public var busyUp: Duration = .zero

        /// Creates counters with zeros.
        public init() {}
    }
}
