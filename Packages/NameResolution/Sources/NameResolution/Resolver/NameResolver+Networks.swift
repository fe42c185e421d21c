// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import Foundation
internal import WebSyntax

// MARK: Networks and stored answers

extension NameResolver {
    /// The numbers since the creation.
    package var counters: NameCounters { state.withLock { $0.counters } }

    /// Changes the network. The answers of the network before are stored in memory, so that they are used again when
    /// the device returns to it. Answers of an unknown network are removed at each call.
    /// - Parameters:
    ///   - network: the identity, or `nil` for an unknown network.
    ///   - isIPv6Only: a Boolean value that indicates whether the network has no default route for IPv4. The prefix of
    ///     its address translation (RFC 7050) is then looked for, and IPv4 addresses of servers are translated.
    package func changeNetwork(to network: NetworkIdentity?, isIPv6Only: Bool = false) {
        let (cache, time, seconds) = (state.withLock { $0.cache }, now(), seconds)
        let left = network == cache.network ? nil : cache.stored(now: time, time: seconds)?.newest()
        state.withLock { state in
            if state.changeNetwork(to: network) {
                if let left { state.archive = StoredNetworks.inserting(left, into: state.archive) }
                restoreArchived(&state)
            }
            if !isIPv6Only {
                state.discovery = nil
            } else if state.discovery == nil {
                state.discovery = discoverTranslation()
            }
        }
    }

    /// Returns a document with the answers of the servers in this and in other networks, as ``restore(_:)`` reads it:
    /// at most four networks, 1,000 names in each, and 256 KB.
    /// - Returns: `nil` if there are none.
    package func storedAnswers() -> Data? {
        let (cache, archive) = state.withLock { ($0.cache, $0.archive) }
        let current = cache.stored(now: now(), time: seconds)?.newest()
        let networks = current.map { StoredNetworks.inserting($0, into: archive) } ?? archive
        return StoredNetworks(networks).json()
    }

    /// Adds the answers of a document. Those of the current network are used at once, others when the network changes.
    /// Answers that the rules do not permit are ignored.
    /// - Throws: ``NameResolutionError`` with code `tooLarge` or `badMessage`. The cache is then unchanged.
    package func restore(_ document: Data) throws {
        let networks = try StoredNetworks(json: document).networks.map { network in
            network.filtered { entry in
                let addresses = entry.addresses.compactMap { IPAddress($0) }
                let host = AnswerCache.key(of: entry.host)
                return entry.source != .system && order(for: host) != nil
                    && SystemAnswerCheck.check(addresses, isPublic: rules.isPublic(host)) == .plausible
            }
        }
        state.withLock { state in
            let known = Set(state.archive.map(\.network))
            state.archive = Array(
                (state.archive + networks.filter { !known.contains($0.network) }).prefix(StoredNetworks.maxNetworks))
            restoreArchived(&state)
        }
    }

    /// Removes all answers, also those of other networks and of look-ups that are under way.
    package func removeAll() { state.withLock { $0.removeAll() } }

    /// Adds the stored answers of the current network to the cache.
    private func restoreArchived(_ state: inout ResolverState) {
        guard let kept = state.archive.first(where: { $0.network == state.cache.network }) else { return }
        state.cache.restore(kept, now: now(), time: seconds)
    }

    /// The current time in seconds since 1970.
    private var seconds: Int64 { Int64(date().timeIntervalSince1970) }
}

// MARK: Look-ups ahead

/// The names that wait for a look-up ahead.
struct Preparation: Sendable {
    /// The maximum number of look-ups at the same time.
    static let maxTasks = 4
    /// The maximum number of names that wait. Later ones are ignored.
    static let maxNames = 256

    var names: [String] = []
    /// The number of tasks that take names.
    var tasks = 0
    var waiters: [CheckedContinuation<Void, Never>] = []
}

extension NameResolver {
    /// Looks up hosts ahead, four at a time, and returns at once. Hosts that this resolver is not used for or whose
    /// addresses are known are skipped.
    package func prepare(_ hosts: [String]) {
        let hosts = hosts.map { AnswerCache.key(of: $0) }.filter { resolves($0) }
        let tasks = state.withLock { state in
            for host in hosts where state.preparation.names.count < Preparation.maxNames {
                if !state.preparation.names.contains(host) { state.preparation.names.append(host) }
            }
            let tasks = min(Preparation.maxTasks - state.preparation.tasks, state.preparation.names.count)
            state.preparation.tasks += tasks
            return tasks
        }
        for _ in 0..<tasks {
            Task {
                while let host = state.withLock({
                    $0.preparation.names.isEmpty ? nil : $0.preparation.names.removeFirst()
                }) {
                    // A failure is that of the request that needs the host.
                    if knownAddresses(of: host) == nil { _ = try? await answer(for: host) }
                }
                endPreparation()
            }
        }
    }

    /// Waits until no look-up ahead is under way.
    package func prepared() async {
        await withCheckedContinuation { continuation in
            let isDone = state.withLock { state in
                if state.preparation.tasks > 0 { state.preparation.waiters.append(continuation) }
                return state.preparation.tasks == 0
            }
            if isDone { continuation.resume() }
        }
    }

    private func endPreparation() {
        let waiters = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.preparation.tasks -= 1
            guard state.preparation.tasks == 0 else { return [] }
            defer { state.preparation.waiters = [] }
            return state.preparation.waiters
        }
        for waiter in waiters { waiter.resume() }
    }
}
