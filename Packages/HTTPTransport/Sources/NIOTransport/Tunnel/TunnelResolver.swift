// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
@_spi(Facade) internal import ConnectTunnel
internal import HTTPTransport
internal import NIOCore
internal import NIOPosix
internal import ResourceLoading
internal import WebSyntax

/// A NIO resolver that resolves one name with an ``AddressResolving``. IP address literals, `localhost` and the names
/// below it are not looked up.
///
/// Isolation: any.
final class TunnelResolver: Resolver, Sendable {
    private struct State {
        var lookUp: EventLoopFuture<[SocketAddress]>?
        var task: Task<Void, Never>?
        var failure: (any Error)?
    }

    private let addresses: any AddressResolving
    private let loop: any EventLoop
    private let timeout: Duration
    private let state = Mutex(State())

    init(_ addresses: any AddressResolving, on loop: any EventLoop, timeout: Duration) {
        self.addresses = addresses
        self.loop = loop
        self.timeout = timeout
    }

    /// The error of the look-up; `nil` if it has not failed.
    var failure: (any Error)? { state.withLock { $0.failure } }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        lookUp(host, port).map { $0.filter { $0.protocol == .inet } }
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        lookUp(host, port).map { $0.filter { $0.protocol == .inet6 } }
    }

    func cancelQueries() {
        state.withLock { $0.task }?.cancel()
    }

    /// Returns the addresses of both families from one look-up.
    private func lookUp(_ host: String, _ port: Int) -> EventLoopFuture<[SocketAddress]> {
        if let address = try? SocketAddress(ipAddress: host, port: port) {
            return loop.makeSucceededFuture([address])
        }
        if let loopback = try? LocalhostAddresses.of(host, port: port) { return loop.makeSucceededFuture(loopback) }
        return state.withLock { state in
            if let lookUp = state.lookUp { return lookUp }
            let promise = loop.makePromise(of: [SocketAddress].self)
            let complete = SingleCompletion(promise)
            let timer = loop.scheduleTask(in: TimeAmount(timeout)) { [timeout] in
                complete(.failure(self.fail("the host name look-up took longer than \(timeout)", nil)))
                self.cancelQueries()
            }
            state.task = Task { [addresses] in
                do {
                    let found = try await addresses.addresses(of: host.asciiLowercased).compactMap {
                        try? SocketAddress(ipAddress: $0.description, port: port)
                    }
                    complete(
                        found.isEmpty ? .failure(self.fail("the host name has no address", nil)) : .success(found))
                } catch {
                    complete(.failure(self.fail("the host name could not be looked up", error)))
                }
                timer.cancel()
            }
            state.lookUp = promise.futureResult
            return promise.futureResult
        }
    }

    private func fail(_ message: String, _ cause: (any Error)?) -> ResourceError {
        let error = ResourceError(.unknownHost, message, cause: TransportFailure(.resolve, message, underlying: cause))
        state.withLock { $0.failure = $0.failure ?? error }
        return error
    }

    /// A promise that can be completed more than once; only the first result is used.
    private final class SingleCompletion: Sendable {
        private let promise: Mutex<EventLoopPromise<[SocketAddress]>?>

        init(_ promise: EventLoopPromise<[SocketAddress]>) {
            self.promise = Mutex(promise)
        }

        func callAsFunction(_ result: Result<[SocketAddress], any Error>) {
            let promise = promise.withLock { promise in
                defer { promise = nil }
                return promise
            }
            promise?.completeWith(result)
        }
    }
}
