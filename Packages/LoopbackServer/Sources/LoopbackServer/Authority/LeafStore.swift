// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import NIOCore
internal import ResourceLoading
internal import WebSyntax

/// The certificates of hosts, created on first use. A certificate is used only after the engine trusts it.
actor LeafStore {
    private struct Entry {
        var leaf: Task<LaunchAuthority.Leaf, any Error>
        /// The number of the last use; higher is later.
        var lastUse: UInt64
        /// The time of the last repeated trust request to the engine.
        var lastReported: ContinuousClock.Instant?
    }

    /// The remaining validity in seconds below which a certificate is replaced: 1 day. An open connection still uses
    /// the certificate of its handshake.
    private static let renewal: TimeInterval = 86_400
    private let authority: LaunchAuthority
    private let trusting: any CertificateTrusting
    private let limit: Int
    private var entries: [String: Entry] = [:]
    private var uses: UInt64 = 0

    /// - Parameter limit: The limit of hosts. Above it, the least recently used certificate is removed.
    init(_ authority: LaunchAuthority, trusting: any CertificateTrusting, limit: Int) {
        self.authority = authority
        self.trusting = trusting
        self.limit = limit
    }

    /// Returns the certificate of a host after the engine trusts it.
    /// - Throws: ``LoopbackError`` with code `certificate` or `trust`. A later call tries again.
    func leaf(for host: String, now: Date = Date()) async throws -> LaunchAuthority.Leaf {
        while true {
            let task = use(host) ?? make(host, now)
            do {
                let leaf = try await task.value
                if leaf.end.timeIntervalSince(now) > Self.renewal { return leaf }
            } catch {
                remove(host, task)
                throw error
            }
            remove(host, task)
        }
    }

    private func use(_ host: String) -> Task<LaunchAuthority.Leaf, any Error>? {
        uses += 1
        entries[host]?.lastUse = uses
        return entries[host]?.leaf
    }

    private func make(_ host: String, _ now: Date) -> Task<LaunchAuthority.Leaf, any Error> {
        if entries.count >= limit, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            entries[oldest.key] = nil
        }
        let (authority, trusting) = (authority, trusting)
        let leaf = Task {
            let leaf = try authority.leaf(for: host, now: now)
            do {
                try await trusting.trust(leaf.certificate, for: host)
            } catch {
                throw LoopbackError(.trust, "the engine does not trust the certificate", at: host, cause: error)
            }
            return leaf
        }
        entries[host] = Entry(leaf: leaf, lastUse: uses)
        return leaf
    }

    /// Makes the engine trust the certificate of a host again, after a failed TLS handshake.
    ///
    /// Later calls of `leaf(for:)` wait for the renewal. Each host has at most one renewal in five seconds, because any
    /// process can cause a failed handshake.
    nonisolated func renewTrust(_ host: String) {
        Task { await renew(host) }
    }

    private func renew(_ host: String) {
        guard let entry = entries[host] else { return }
        if let lastReported = entry.lastReported, lastReported.duration(to: .now) < .seconds(5) { return }
        let trusting = trusting
        entries[host]?.lastReported = .now
        entries[host]?.leaf = Task {
            let leaf = try await entry.leaf.value
            do {
                try await trusting.trust(leaf.certificate, for: host)
            } catch {
                throw LoopbackError(.trust, "the engine does not trust the certificate", at: host, cause: error)
            }
            return leaf
        }
    }

    /// Removes the entry of a host, unless another certificate has replaced it.
    private func remove(_ host: String, _ leaf: Task<LaunchAuthority.Leaf, any Error>) {
        if entries[host]?.leaf == leaf { entries[host] = nil }
    }
}

extension LeafStore {
    /// Returns the certificate for a connection after the engine trusts it.
    /// - Returns: A future that fails with `ResourceError`, with code `timedOut` if the engine takes longer than
    ///   `time`.
    nonisolated func leaf(
        for host: HostPort, within time: Duration, on eventLoop: any EventLoop
    ) -> EventLoopFuture<LaunchAuthority.Leaf> {
        let place = "\(host)"
        let promise = eventLoop.makePromise(of: LaunchAuthority.Leaf.self)
        let deadline = eventLoop.scheduleTask(in: TimeAmount(time)) {
            promise.fail(
                ResourceError(.timedOut, "the engine did not trust the certificate in time", at: place))
        }
        eventLoop.makeFutureWithTask { try await self.leaf(for: host.host) }.flatMapErrorThrowing {
            throw ResourceError(.internal, "no certificate for the host", at: place, cause: $0)
        }.cascade(to: promise)
        promise.futureResult.whenComplete { _ in deadline.cancel() }
        return promise.futureResult
    }
}
