// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension OriginServer {
    /// What a server serves, and how.
    public struct Configuration: Sendable {
        /// The folder whose files are served; `nil`, the default, for a server of routes only.
        public var folder: String?
        /// Handlers that come before the files. None by default.
        public var routes: [OriginRoute] = []
        /// What goes wrong on purpose. Nothing by default.
        public var faults: [Fault] = []
        /// The network in front of the server. ``NetworkProfile/none`` by default: no relay.
        public var profile = NetworkProfile.none
        /// Whether to speak TLS, with a certificate made at the start. Off by default.
        public var usesTLS = false
        /// With TLS, whether HTTP/2 is offered to clients that know it. Off by default. A fault that ends a connection ends
        /// all requests on it.
        public var offersHTTP2 = false
        /// The port to listen on. 0, the default, lets the system choose.
        public var port = 0
        /// How many requests the log keeps: the latest. 10,000 by default.
        public var logLimit = 10_000
        /// How many connections there may be at a time. 1,024 by default.
        public var connectionLimit = 1_024
        /// The largest request body that a route is given, in bytes; a larger one is answered with 413. 16 MiB by
        /// default.
        public var requestBodyLimit = 16 * 1_048_576
        /// What delays are measured with. The machine's clock by default.
        public var clock: any Clock<Duration> = ContinuousClock()

        /// All else has the default that is named above.
        public init(folder: String? = nil, routes: [OriginRoute] = []) {
            self.folder = folder
            self.routes = routes
        }
    }
}
