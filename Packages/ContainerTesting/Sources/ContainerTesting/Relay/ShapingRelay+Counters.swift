// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension ShapingRelay {
    /// What a relay has passed.
    public struct Counters: Sendable, Hashable {
        /// Bytes handed to clients.
        public var bytesDown: Int64 = 0
        /// Bytes handed to the target.
        public var bytesUp: Int64 = 0
        /// Connections accepted, those included that were refused then.
        public var connections = 0
        /// Connections reset at once: offline, too many, or no target.
        public var refused = 0
        /// The most bytes that a connection has held in one direction: read, and not yet taken by the other side.
        public var mostHeld = 0
        /// How long the link to the clients has been sending, by its own clock: the bytes at the profile's rate.
        public var busyDown: Duration = .zero
        /// The same for the link to the target.
        public var busyUp: Duration = .zero

        /// Nothing passed yet.
        public init() {}
    }
}
