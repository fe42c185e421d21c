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
        /// The largest number of bytes that a connection has buffered in one direction: read, and not yet accepted by
        /// the receiver's kernel.
        public var mostHeld = 0
        /// The total transmission time of the link to the clients, in simulated time.
        public var busyDown: Duration = .zero
        /// The total transmission time of the link to the target, in simulated time.
        public var busyUp: Duration = .zero

        /// Creates counters with zeros.
        public init() {}
    }
}
