// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import SystemSupport
internal import WebSyntax

/// The proof that the connections of a session pass a tunnel with its credentials.
///
/// The session loads two random names below `invalid`, one after the other. No host has such a name (RFC 6761, section
/// 6.4). The tunnel is proven if both arrive at it with the credentials.
enum TunnelProof {
    /// The result of a proof.
    enum Outcome: Sendable, Hashable {
        /// Both names have arrived.
        case proven
        /// A name has not arrived with the credentials within the time limit.
        case unproven
        /// A name has not arrived, because the device has no network.
        case offline
    }

    /// The time limit of each load.
    static let limit = Duration.seconds(2)

    /// Returns the result of a proof.
    /// - Parameters:
    ///   - tunnel: The tunnel.
    ///   - clock: The clock of the time limit.
    ///   - load: A closure that loads a URL with the session, ignores the response, and returns `false` if the device
    ///     has no network. Its task is cancelled at the time limit.
    static func outcome(
        of tunnel: any AddressTunneling, clock: any Clock<Duration> = ContinuousClock(),
        load: @escaping @Sendable (URL) async -> Bool
    ) async -> Outcome {
        for _ in 0..<2 {
            let host = RandomToken.hex(byteCount: 16) + ".invalid"
            guard let url = URL(string: "https://\(host)/") else { return .unproven }
            let loading = Task { await load(url) }
            let hasNetwork = await loading.value(within: limit, clock: clock)
            if hasNetwork == nil { loading.cancel() }
            guard tunnel.removeFailure(of: HostPort(host: host, port: 443)) != nil else {
                return hasNetwork == false ? .offline : .unproven
            }
        }
        return .proven
    }
}
