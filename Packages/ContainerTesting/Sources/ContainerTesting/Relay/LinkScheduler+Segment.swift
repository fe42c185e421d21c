// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension LinkScheduler {
    /// Names a connection on a link.
    public struct ConnectionID: Sendable, Hashable {
        /// A number that no other connection on the link has.
        public let rawValue: UInt64

        /// Names the connection of this number.
        public init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// Something that crosses the link in one piece.
    public struct Segment: Sendable, Hashable {
        /// What crosses.
        public enum Content: Sendable, Hashable {
            /// So many bytes of the connection's stream.
            case bytes(Int)
            /// The stream's orderly end. Takes no time to send.
            case end
            /// The stream is broken off. Takes no time to send.
            case reset
        }

        /// Whose it is.
        public let connection: ConnectionID
        /// What crosses.
        public let content: Content
        /// When its last bit has left.
        public let departs: Duration
        /// When its last bit is there.
        public let arrives: Duration
    }
}
