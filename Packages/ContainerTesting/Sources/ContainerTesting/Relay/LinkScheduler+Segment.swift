// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension LinkScheduler {
    /// The identifier of a connection on a link.
    public struct ConnectionID: Sendable, Hashable {
        /// A number that is unique on the link.
        public let rawValue: UInt64

        /// Creates an identifier.
        public init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// A unit of transmission on a link.
    public struct Segment: Sendable, Hashable {
        /// The content of a segment.
        public enum Content: Sendable, Hashable {
            /// A number of bytes of the connection's stream.
            case bytes(Int)
            /// The normal end of the stream. It takes no transmission time.
            case end
            /// A reset of the stream. It takes no transmission time.
            case reset
        }

        /// The connection of the segment.
        public let connection: ConnectionID
        /// The content.
        public let content: Content
        /// The time at which the last bit is sent.
        public let departs: Duration
        /// The time at which the last bit arrives.
        public let arrives: Duration
    }
}
