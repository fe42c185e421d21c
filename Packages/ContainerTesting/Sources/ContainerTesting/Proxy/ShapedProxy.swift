// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A forward proxy behind a slow link, for browsers and transports.
///
/// The link is between the client and the proxy, and does not delay a `CONNECT` exchange at the beginning of a
/// connection. A request therefore takes as long as on the simulated network without a proxy, in a tunnel too.
///
/// On Linux it serves this process and its descendants only, such as the processes of an engine. It resets the
/// connections of other processes.
///
/// With ``NetworkProfile/offline`` each connection is reset immediately, so that requests fail without a time-out.
public final class ShapedProxy: Sendable {
    private let proxy: ForwardProxy
    private let relay: ShapingRelay

    private init(proxy: ForwardProxy, relay: ShapingRelay) {
        self.proxy = proxy
        self.relay = relay
    }

    /// The port on `127.0.0.1`.
    public var port: Int { relay.port }
    /// The address to configure in a client, such as `http://127.0.0.1:8080`.
    public var url: String { "http://127.0.0.1:\(port)" }
    /// The network that the proxy simulates.
    public var profile: NetworkProfile { relay.profile }
    /// The counters of relayed bytes, including request and response heads but not those of `CONNECT`.
    public var counters: ShapingRelay.Counters { relay.counters }

    /// Starts a proxy. It returns when the proxy accepts connections.
    /// - Parameters:
    ///   - profile: The network that the proxy simulates.
    ///   - configuration: The limits and port of the proxy. A port of 0, the default, lets the system choose.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`; the latter also if Linux has no
    ///   readable `/proc/net/tcp`.
    public static func start(
        profile: NetworkProfile, configuration: ForwardProxy.Configuration = ForwardProxy.Configuration()
    ) async throws -> ShapedProxy {
        try OwnProcesses.requireTable()
        var inner = configuration
        inner.port = 0
        let proxy = try await ForwardProxy.start(inner, isPrivate: true)
        do {
            let relay = try await ShapingRelay.start(
                profile: profile, target: .loopback(proxy.port), port: configuration.port, isPrivateProxy: true)
            return ShapedProxy(proxy: proxy, relay: relay)
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// Closes the port and all connections. It returns when they are closed; further calls do nothing.
    public func stop() async {
        await relay.stop()
        await proxy.stop()
    }
}
