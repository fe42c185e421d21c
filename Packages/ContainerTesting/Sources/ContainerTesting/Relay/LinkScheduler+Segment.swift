// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension LinkScheduler {
    /// The identifier of a connection on a link.
    struct ConnectionID: Sendable, Hashable {
        /// A number that is unique on the link.
        let rawValue: UInt64

        init(_ rawValue: UInt64) {
            self.rawValue = rawValue
        }
    }

    /// A unit of transmission on a link.
    struct Segment: Sendable, Hashable {
        /// The content of a segment.
        enum Content: Sendable, Hashable {
            /// A number of bytes of the connection's stream.
            case bytes(Int)
            /// The normal end of the stream. It takes no transmission time.
            case end
            /// A reset of the stream. It takes no transmission time.
            case reset
        }

        /// The connection of the segment.
        let connection: ConnectionID
        /// The content.
        let content: Content
        /// The time at which the last bit is sent.
        let departs: Duration
        /// The time at which the last bit arrives.
        let arrives: Duration
    }
}
