// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import ResourceLoading

extension InterceptingProxy {
    /// What a proxy is made of, and what it takes at most.
    public struct Configuration: Sendable {
        /// Answers the requests of what is opened, and those for http URLs.
        public var loader: any ResourceLoader
        /// Says what is opened.
        public var policy: any InterceptPolicy
        /// Has the engine trust the proxy's certificates.
        public var trusting: any CertificateTrusting
        /// Hears what happens; nobody by default.
        public var observer: (any LoopbackObserving)?
        /// Another HTTP proxy, through which tunnels and upgraded connections go; none by default.
        public var upstreamProxy: HostPort?
        /// Certificates (PEM) that upstream connections of upgraded requests trust in place of the system's; the
        /// system's by default. For servers of tests and of companies.
        public var trustRoots: [String]?
        /// What it takes at most.
        public var limits = LoopbackLimits()

        /// Makes a configuration with the default limits.
        public init(loader: any ResourceLoader, policy: any InterceptPolicy, trusting: any CertificateTrusting) {
            self.loader = loader
            self.policy = policy
            self.trusting = trusting
        }
    }
}
