// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import SystemSupport
internal import WebEngine

/// The proof that an engine sends the requests of its views through a proxy, with the credentials of the proxy.
///
/// A hidden view loads `https://<nonce>.invalid/`, and then a second name. No host has such a name (RFC 6761, section
/// 6.4), and the proxy refuses it without a look-up. The proxy is proven if both names arrive at it with the
/// credentials.
///
/// Isolation: the main actor.
@MainActor
struct ProxyProof {
    /// The reason for which a proxy is not proven.
    enum Failure: String, Sendable {
        case noView = "the engine creates no view"
        case noRequest = "no request of the engine arrived at the proxy with its credentials"
        case noSecondRequest = "only the first request of the engine arrived at the proxy with its credentials"
        case timedOut = "no request of the engine arrived at the proxy in time"
    }

    /// The time limit of both loads.
    static let limit = Duration.seconds(10)
    let arrivals: ProofArrivals
    let clock: any Clock<Duration>

    /// Proves the current proxy of an engine. The hidden view is discarded before the method returns.
    /// - Returns: the reason for which the proxy is not proven; `nil` if it is.
    func failure(of engine: some WebEngineDriver) async -> Failure? {
        guard let view = try? engine.makeView() else { return .noView }
        defer {
            view.discard()
            arrivals.expect(nil)
        }
        do {
            return try await withLimit(Self.limit, clock: clock) {
                for failure in [Failure.noRequest, .noSecondRequest] {
                    guard try await load(in: view) else { return failure }
                }
                return nil
            }
        } catch {
            return .timedOut
        }
    }

    /// Loads a new name and waits until it arrives or the load ends.
    /// - Returns: `true` if the name has arrived.
    private func load(in view: any EngineView) async throws -> Bool {
        let name = ProofArrivals.makeName()
        let (ends, end) = AsyncStream<Void>.makeStream()
        arrivals.expect(name) { end.finish() }
        view.onSignal = { signal in
            switch signal {
            case .failed(let url, _), .stopped(let url), .finished(let url): if url.contains(name) { end.finish() }
            case .processEnded: end.finish()
            case .started, .committed, .resource, .frameLoaded, .visibilityChanged: break
            }
        }
        view.loading.load("https://\(name)/")
        for await _ in ends {}
        try Task.checkCancellation()
        // The name arrives before the engine has the response of the proxy.
        return arrivals.hasArrived(name)
    }
}

/// The names of proofs that have arrived at a proxy with its credentials.
///
/// Isolation: any.
final class ProofArrivals: Sendable {
    private struct State {
        var expected: String?
        var hasArrived = false
        var onArrival: @Sendable () -> Void = {}
    }

    private static let suffix = ".invalid"
    private static let byteCount = 16
    private let state = Mutex(State())

    /// Returns a new random name.
    static func makeName() -> String { RandomToken.hex(byteCount: byteCount) + suffix }

    /// Returns a Boolean value that indicates whether a host has the form of the name of a proof.
    static func isName(_ host: String) -> Bool {
        host.hasSuffix(suffix) && host.utf8.count == 2 * byteCount + suffix.utf8.count
            && host.utf8.dropLast(suffix.utf8.count).allSatisfy {
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
            }
    }

    /// Sets the name that is expected next; `nil` for none.
    func expect(_ name: String?, onArrival: @escaping @Sendable () -> Void = {}) {
        state.withLock { $0 = State(expected: name, onArrival: onArrival) }
    }

    /// Records a host that was requested with the credentials of the proxy.
    func record(_ host: String) {
        let arrived = state.withLock { state -> (@Sendable () -> Void)? in
            guard state.expected == host else { return nil }
            state.hasArrived = true
            return state.onArrival
        }
        arrived?()
    }

    /// Returns a Boolean value that indicates whether the expected name is this one and has arrived.
    func hasArrived(_ name: String) -> Bool { state.withLock { $0.expected == name && $0.hasArrived } }
}
