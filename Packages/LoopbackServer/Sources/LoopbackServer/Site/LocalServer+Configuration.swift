// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import ResourceLoading

extension LocalServer {
    /// What a local server is made of, and what it takes at most.
    public struct Configuration: Sendable {
        /// Answers the requests, which it gets with their real URLs.
        public var loader: any ResourceLoader
        /// Says of requests what the server cannot know.
        public var completing: any RequestCompleting
        /// Has the engine trust the server's certificates.
        public var trusting: any CertificateTrusting
        /// The port to listen on, 1024 to 65535, the same in every launch: it is part of the pages' origin, and so of
        /// what they have stored. 0 for any.
        public var port: Int
        /// Hears what happens; nobody by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy, through which upgraded connections go; none by default.
        public var upstreamProxy: HostPort?
        /// Certificates (PEM) that upstream connections of upgraded requests trust in place of the system's; the
        /// system's by default. For servers of tests and of companies.
        public var trustRoots: [String]?
        /// What it takes at most.
        public var limits = LoopbackLimits()

        /// Makes a configuration with the default limits.
        public init(
            loader: any ResourceLoader, completing: any RequestCompleting, trusting: any CertificateTrusting, port: Int
        ) {
            self.loader = loader
            self.completing = completing
            self.trusting = trusting
            self.port = port
        }
    }
}
