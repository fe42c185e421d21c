// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ConnectTunnel
internal import NIOCore

/// Where the connections of a proxy lead, and whether they were opened: what a policy has said once holds for as long as a
/// connection does, and engines keep connections.
///
/// Isolation: any.
final class TunnelTable: Sendable {
    private struct Tunnel {
        let channel: any Channel
        let host: HostPort
        let isOpened: Bool
    }

    /// The policy said something else when the connection began to be made.
    struct Outdated: Error {}

    private let policy: any InterceptPolicy
    private let all = Mutex<[ObjectIdentifier: Tunnel]>([:])

    init(_ policy: any InterceptPolicy) {
        self.policy = policy
    }

    /// Notes where a connection leads, until it closes.
    /// - Throws: ``Outdated``. Asked after it is noted: what changes the policy later finds it among ``outdated``.
    func record(_ channel: any Channel, to host: HostPort, isOpened: Bool) throws {
        let id = ObjectIdentifier(channel)
        all.withLock { $0[id] = Tunnel(channel: channel, host: host, isOpened: isOpened) }
        channel.closeFuture.whenComplete { _ in self.all.withLock { $0[id] = nil } }
        guard policy.opens(host) == isOpened else { throw Outdated() }
    }

    /// Whether a connection to an opened host is there, or about to be.
    func isOpened(_ host: HostPort) -> Bool {
        all.withLock { $0.values.contains { $0.isOpened && $0.host == host } }
    }

    /// The connections that would be made in another way by now.
    var outdated: [any Channel] {
        let all = all.withLock { Array($0.values) }
        return all.filter { policy.opens($0.host) != $0.isOpened }.map(\.channel)
    }
}
