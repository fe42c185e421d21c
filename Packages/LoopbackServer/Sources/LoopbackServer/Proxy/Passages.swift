// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import Synchronization

/// Where the connections of a proxy lead, and whether they were opened: what a policy has said once holds for as long as a
/// connection does, and engines keep connections.
///
/// Isolation: any.
final class Passages: Sendable {
    private struct Passage {
        let channel: any Channel
        let host: HostPort
        let isOpened: Bool
    }

    private let all = Mutex<[ObjectIdentifier: Passage]>([:])

    /// Notes where a connection leads, until it closes.
    func note(_ channel: any Channel, to host: HostPort, isOpened: Bool) {
        let id = ObjectIdentifier(channel)
        all.withLock { $0[id] = Passage(channel: channel, host: host, isOpened: isOpened) }
        channel.closeFuture.whenComplete { _ in self.all.withLock { $0[id] = nil } }
    }

    /// The connections that would be made in another way by now.
    func outdated(by policy: any InterceptPolicy) -> [any Channel] {
        let all = all.withLock { Array($0.values) }
        return all.filter { policy.opens($0.host) != $0.isOpened }.map(\.channel)
    }
}
