// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import NIOCore
internal import WebSyntax

/// The open connections of a proxy with their hosts and kinds, intercepted or relayed. A connection has the same kind
/// until it closes, so a changed policy needs ``outdated``.
///
/// Isolation: any.
final class TunnelTable: Sendable {
    private struct Tunnel {
        let channel: any Channel
        let host: HostPort
        let isOpened: Bool
    }

    /// The error for a policy that has changed while the connection was being opened.
    struct Outdated: Error {}

    private let policy: any InterceptPolicy
    private let all = Mutex<[ObjectIdentifier: Tunnel]>([:])

    init(_ policy: any InterceptPolicy) {
        self.policy = policy
    }

    /// Records a connection until it closes.
    /// - Throws: ``Outdated`` if the policy has changed. The policy is checked after recording, so that ``outdated``
    ///   contains the connection after a later change.
    func record(_ channel: any Channel, to host: HostPort, isOpened: Bool) throws {
        let id = ObjectIdentifier(channel)
        all.withLock { $0[id] = Tunnel(channel: channel, host: host, isOpened: isOpened) }
        channel.closeFuture.whenComplete { _ in self.all.withLock { $0[id] = nil } }
        guard policy.opens(host) == isOpened else { throw Outdated() }
    }

    /// Returns a Boolean value that indicates whether an intercepted connection to the host is open or being opened.
    func isOpened(_ host: HostPort) -> Bool {
        all.withLock { $0.values.contains { $0.isOpened && $0.host == host } }
    }

    /// The connections that no longer match the policy.
    var outdated: [any Channel] {
        let all = all.withLock { Array($0.values) }
        return all.filter { policy.opens($0.host) != $0.isOpened }.map(\.channel)
    }
}
