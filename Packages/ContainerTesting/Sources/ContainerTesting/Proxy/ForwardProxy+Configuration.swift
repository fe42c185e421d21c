// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension ForwardProxy {
    /// The options of a proxy.
    public struct Configuration: Sendable {
        /// The port; 0, the default, lets the system choose.
        public var port = 0
        /// The time limit for opening an upstream connection; 10 s by default. After it, the response is 504.
        public var connectTimeout: Duration = .seconds(10)
        /// The time limit for an idle client connection, during a request, response or tunnel; 120 s by default. A
        /// request without a response then receives 504, and the connection is closed.
        public var idleTimeout: Duration = .seconds(120)
        /// The credentials that a client must send; an HTTP client without them receives 407. `nil`, the default,
        /// serves any client.
        public var credentials: TestProxyCredentials?
        /// A closure that maps a requested endpoint to the endpoint to connect to. `nil`, the default, connects to the
        /// requested endpoint. An error of the closure fails the connection.
        public var route: (@Sendable (Endpoint) async throws -> Endpoint)?

        /// Creates a configuration with the default values.
        public init() {}
    }
}
