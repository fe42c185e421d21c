// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
@_spi(Facade) internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// A session whose connections pass an address tunnel. Releasing it closes the tunnel; tasks in progress go on.
final class TunnelSession: Sendable {
    let session: URLSession
    let delegate: SessionDelegate
    private let tunnel: any AddressTunneling

    init(_ tunnel: any AddressTunneling, _ settings: URLSessionConfiguration) {
        self.tunnel = tunnel
        delegate = SessionDelegate()
        session = URLSession(configuration: settings, delegate: delegate, delegateQueue: nil)
    }

    deinit {
        session.finishTasksAndInvalidate()
        tunnel.close()
    }
}

/// The session of a transport for hosts whose names an `AddressResolving` resolves.
///
/// The session is made when a request first needs it, and again after the tunnel has closed. Until it is proven
/// (``TunnelProof``), requests wait. If the tunnel does not start or is not proven, the transport uses its other
/// session until it ends.
///
/// Isolation: any.
final class TunnelSessions: Sendable {
    /// The operations of the system.
    struct System: Sendable {
        /// Returns a Boolean value that indicates whether the system has a proxy for any host, network or scheme.
        let hasProxy: @Sendable () -> Bool
        /// Loads a URL with a session whose connections pass a tunnel; see ``TunnelProof/outcome(of:clock:load:)``.
        let load: @Sendable (any AddressTunneling, URL) async -> Bool
        /// Makes a session whose connections pass a tunnel.
        let makeSession: @Sendable (any AddressTunneling) -> TunnelSession
    }

    private struct State {
        var addresses: (any AddressResolving)?
        var startup = Startup<TunnelSession>(.idle)
    }

    private struct Offline: Error {}
    private struct Unproven: Error, CustomStringConvertible {
        let description = "its requests do not arrive at the CONNECT proxy with the credentials"
    }

    private let system: System
    private let startTunnel: @Sendable (any AddressResolving) async throws -> any AddressTunneling
    private let onFailure: @Sendable (_ message: String) -> Void
    private let state = Mutex(State())

    init(
        _ system: System, onFailure: @escaping @Sendable (_ message: String) -> Void,
        startTunnel: @escaping @Sendable (any AddressResolving) async throws -> any AddressTunneling
    ) {
        self.system = system
        self.onFailure = onFailure
        self.startTunnel = startTunnel
    }

    /// Uses another resolver for later requests.
    func use(_ addresses: any AddressResolving) {
        // The session is released after the lock, because that may call back.
        _ = state.withLock { state in
            let earlier = state.startup.phase
            state.addresses = addresses
            state.startup.lose(state.startup.number)
            return earlier
        }
    }

    /// Returns the session for a request, or `nil` if the request uses the other session of the transport or is
    /// cancelled.
    /// - Parameters:
    ///   - url: The URL of the request.
    ///   - isBackground: A Boolean value that indicates whether the request refuses networks. The system would compare
    ///     them with the loopback interface, not with the network that the tunnel uses.
    func session(for url: URL, isBackground: Bool) async -> TunnelSession? {
        // Plain `http` could be sent without CONNECT. The proof is for https only.
        guard !isBackground, url.scheme?.asciiLowercased == "https", let host = url.host(percentEncoded: false),
            let addresses = state.withLock({ $0.addresses }),
            addresses.isUsed(for: HostPort(host: host, port: url.port ?? 443)), !system.hasProxy()
        else { return nil }
        let (phase, number) = state.withLock { state in
            // The resolver may have been replaced meanwhile.
            state.startup.begin { start($0, state.addresses ?? addresses) }
            return (state.startup.phase, state.startup.number)
        }
        switch phase {
        case .ready(let session): return session
        case .idle, .ended: return nil
        case .starting(let task):
            let (results, end) = AsyncStream<Result<TunnelSession, any Error>>.makeStream()
            Task { end.yield(await task.result) }
            // The wait also ends if the request is cancelled. The start goes on for other requests.
            var iterator = results.makeAsyncIterator()
            guard let result = await iterator.next() else { return nil }
            state.withLock { state in
                // After a change of the resolver, the phase is another one.
                if case .failure(let error) = result, !(error is Offline), number == state.startup.number,
                    case .starting = state.startup.phase
                {
                    _ = state.startup.end()
                } else {
                    state.startup.finish(number, result)
                }
            }
            return try? result.get()
        }
    }

    /// Cancels all requests, and makes no further session.
    func shutDown() {
        switch state.withLock({ $0.startup.end() }) {
        case .idle, .ended: break
        case .starting(let task): task.cancel()
        case .ready(let session): session.session.invalidateAndCancel()
        }
    }

    private func start(_ number: Int, _ addresses: any AddressResolving) -> Task<TunnelSession, any Error> {
        Task { [system, startTunnel, onFailure, weak self] in
            do {
                let tunnel = try await startTunnel(addresses)
                let session = system.makeSession(tunnel)
                switch await TunnelProof.outcome(of: tunnel, load: { await system.load(tunnel, $0) }) {
                case .proven: break
                case .offline: throw Offline()
                case .unproven: throw Unproven()
                }
                tunnel.whenClosed { [weak self] in self?.lose(number) }
                return session
            } catch {
                if !(error is Offline), !Task.isCancelled {
                    onFailure("URLSession lets the system resolve names: \(error)")
                }
                throw error
            }
        }
    }

    private func lose(_ number: Int) {
        _ = state.withLock { state in
            let earlier = state.startup.phase
            state.startup.lose(number)
            return earlier
        }
    }
}
