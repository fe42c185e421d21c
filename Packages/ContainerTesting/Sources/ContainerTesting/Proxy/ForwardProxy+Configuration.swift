// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension ForwardProxy {
    /// How a proxy behaves.
    public struct Configuration: Sendable {
        /// The port to listen on. 0, the default, lets the system choose.
        public var port = 0
        /// How long a connection upstream may take to be made. 10 s by default; then the answer is 504.
        public var connectTimeout: Duration = .seconds(10)
        /// How long a client's connection may lie still, request, answer or tunnel. 120 s by default; then a
        /// request without an answer gets 504, and the connection is closed.
        public var idleTimeout: Duration = .seconds(120)
        /// How many clients' connections there may be at a time; further ones are reset. 1,024 by default.
        public var connectionLimit = 1_024
        /// What a client has to say first; others are refused, by HTTP with 407. `nil`, the default, to serve anyone.
        public var credentials: TestProxyCredentials?
        /// Where a connection really leads, asked with what the client named before it is made. As named by default. What it
        /// throws fails the connection.
        public var route: (@Sendable (Endpoint) async throws -> Endpoint)?

        /// All has the default that is named above.
        public init() {}
    }
}
