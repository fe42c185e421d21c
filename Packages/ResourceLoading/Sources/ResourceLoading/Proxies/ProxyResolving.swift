// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import SystemSupport
public import WebSyntax

/// A resolver of the proxies for a host. An engine adapter implements it for the system's settings, and an app can
/// implement it (``ProxySelection/resolver(_:)``).
///
/// Isolation: any; it may be called concurrently. ``SystemProxies`` calls it and limits the time, so that an
/// implementation needs no limit of its own. The calling task is cancelled at the limit.
public protocol ProxyResolving: Sendable {
    /// Returns the routes to a host in the order in which they are tried.
    ///
    /// The path of a URL is not part of the look-up, as in browsers: a script of the network could read it.
    /// - Parameters:
    ///   - host: the host of the request.
    ///   - isSecure: a Boolean value that indicates whether the scheme is `https`, not `http`.
    /// - Returns: the routes; an empty array means a direct connection.
    /// - Throws: any error. The connection is then direct.
    func routes(to host: HostPort, isSecure: Bool) async throws -> [ProxyRoute]
}

/// The proxies of the system, with the rules that hold for every resolver.
///
/// - Loopback addresses, `localhost` and the names below it have a direct connection.
/// - A proxy at a loopback port of a listener of this process is left out, because it would form a loop.
/// - A look-up that fails or exceeds its time limit means a direct connection, and is reported.
/// - A result is reused for a short time, and a failure for 60 seconds. Concurrent requests for a host share one
///   look-up.
/// - While 64 look-ups are in progress, connections to further hosts are direct, which is reported.
///
/// Isolation: any.
public final class SystemProxies: Sendable {
    private struct Place: Hashable {
        let host: HostPort
        let isSecure: Bool
    }

    private struct LookUp {
        let task: Task<[ProxyRoute], Never>
        var end: ContinuousClock.Instant
    }

    private struct State {
        var lookUps: [Place: LookUp] = [:]
        /// The number of calls of the resolver that have not returned.
        var running = 0
    }

    private static let maxLookUps = 256
    private static let maxRoutes = 8
    private static let maxRunning = 64
    private static let failureLifetime = Duration.seconds(60)
    private static let direct = [ProxyRoute.direct]

    private let resolver: any ProxyResolving
    private let timeLimit: Duration
    private let lifetime: Duration
    private let clock: any Clock<Duration>
    private let onFailure: @Sendable (_ message: String, _ host: HostPort) -> Void
    private let state = Mutex(State())

    /// Creates the proxies of a system. The resolver is not called yet.
    /// - Parameters:
    ///   - resolver: the resolver of the system's settings.
    ///   - timeLimit: the time limit of a look-up; 5 seconds by default.
    ///   - lifetime: the time for which a result is reused; 10 seconds by default.
    ///   - clock: the clock of the time limit.
    ///   - onFailure: a closure that receives the reason why a look-up failed, as one line. It is called from any
    ///     isolation and must not block.
    public init(
        _ resolver: any ProxyResolving, timeLimit: Duration = .seconds(5), lifetime: Duration = .seconds(10),
        clock: any Clock<Duration> = ContinuousClock(),
        onFailure: @escaping @Sendable (_ message: String, _ host: HostPort) -> Void
    ) {
        self.resolver = resolver
        self.timeLimit = timeLimit
        self.lifetime = lifetime
        self.clock = clock
        self.onFailure = onFailure
    }

    /// Forgets all results, because the network has changed. Look-ups in progress are not reused.
    public func networkChanged() { state.withLock { $0.lookUps = [:] } }

    /// Returns the routes to a host in the order in which they are tried: one at least, and at most eight.
    /// - Parameters:
    ///   - host: the host of the request.
    ///   - isSecure: a Boolean value that indicates whether the scheme is `https`, not `http`.
    public nonisolated(nonsending) func routes(to host: HostPort, isSecure: Bool) async -> [ProxyRoute] {
        guard !host.isLoopback else { return Self.direct }
        let task = state.withLock { lookUp(Place(host: host, isSecure: isSecure), in: &$0) }
        let routes = await task.value.lazy.filter { route in
            route.proxy.map { !OwnListeners.contains($0) } ?? true
        }
        let first = Array(routes.prefix(Self.maxRoutes))
        return first.isEmpty ? Self.direct : first
    }

    private func lookUp(_ place: Place, in state: inout State) -> Task<[ProxyRoute], Never> {
        let now = ContinuousClock.now
        if let known = state.lookUps[place], known.end > now { return known.task }
        if state.lookUps.count >= Self.maxLookUps {
            state.lookUps = state.lookUps.filter { $0.value.end > now }
            if state.lookUps.count >= Self.maxLookUps { state.lookUps.removeAll() }
        }
        let mayRun = state.running < Self.maxRunning
        if mayRun { state.running += 1 }
        let task = Task { mayRun ? await self.resolve(place) : self.refuse(place) }
        state.lookUps[place] = LookUp(task: task, end: now + lifetime)
        return task
    }

    private func refuse(_ place: Place) -> [ProxyRoute] {
        onFailure("too many look-ups are in progress", place.host)
        return Self.direct
    }

    private func resolve(_ place: Place) async -> [ProxyRoute] {
        let lookUp = Task<Result<[ProxyRoute], any Error>, Never> { [self, resolver] in
            defer { state.withLock { $0.running -= 1 } }
            do {
                return .success(try await resolver.routes(to: place.host, isSecure: place.isSecure))
            } catch {
                return .failure(error)
            }
        }
        switch await lookUp.value(within: timeLimit, clock: clock) {
        case .success(let routes): return routes
        case .failure(let error): onFailure("\(error)".printable(), place.host)
        case nil:
            lookUp.cancel()
            onFailure("the look-up took longer than \(timeLimit)", place.host)
        }
        state.withLock { $0.lookUps[place]?.end = .now + Self.failureLifetime }
        return Self.direct
    }
}
