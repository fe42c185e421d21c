// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A forward proxy behind a slow link: what a browser or a transport is pointed at to feel a network.
///
/// The link lies between the client and the proxy. A plain request costs what it costs on such a
/// network. A tunnel costs one round trip more than a direct connection would, for the `CONNECT`
/// itself, as it does behind any proxy.
///
/// With ``NetworkProfile/offline`` every connection is reset as soon as it is made, so that clients fail
/// at once and never hang.
public final class ShapedProxy: Sendable {
    private let proxy: ForwardProxy
    private let relay: ShapingRelay

    private init(proxy: ForwardProxy, relay: ShapingRelay) {
        self.proxy = proxy
        self.relay = relay
    }

    /// Where connections to `127.0.0.1` are accepted.
    public var port: Int { relay.port }
    /// The address to configure in a client, such as `http://127.0.0.1:8080`.
    public var url: String { "http://127.0.0.1:\(port)" }
    /// The network that this proxy imitates.
    public var profile: NetworkProfile { relay.profile }
    /// What has passed so far, the heads of requests and answers included.
    public var counters: ShapingRelay.Counters { relay.counters }

    /// Begins to accept connections.
    /// - Parameters:
    ///   - profile: the network that the proxy imitates.
    ///   - configuration: the proxy's limits and port. A port of 0, the default, lets the system choose.
    /// - Throws: ``ContainerTestingError`` with code `portInUse` or `cannotListen`.
    public static func start(
        profile: NetworkProfile, configuration: ForwardProxy.Configuration = ForwardProxy.Configuration()
    ) async throws -> ShapedProxy {
        var inner = configuration
        inner.port = 0
        let proxy = try await ForwardProxy.start(inner)
        do {
            let relay = try await ShapingRelay.start(
                profile: profile, target: .loopback(proxy.port), port: configuration.port)
            return ShapedProxy(proxy: proxy, relay: relay)
        } catch {
            await proxy.stop()
            throw error
        }
    }

    /// Closes the port and every connection. Returns when they are closed; a second call does nothing.
    public func stop() async {
        await relay.stop()
        await proxy.stop()
    }
}
