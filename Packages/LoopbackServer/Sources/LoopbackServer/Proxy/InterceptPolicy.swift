// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel
public import ResourceLoading

/// What a proxy opens, and whose a request is.
///
/// Isolation: any, and concurrently; both are asked on an event loop, and answer from memory.
public protocol InterceptPolicy: Sendable {
    /// Whether connections to there are opened: the proxy stands in for the host. All others pass end to end, unseen.
    func opens(_ target: HostPort) -> Bool

    /// Completes a request that came through, by what the proxy cannot know: the page, the destination. By default
    /// nothing.
    func complete(_ request: inout ResourceRequest)
}

extension InterceptPolicy {
    public func complete(_ request: inout ResourceRequest) {}
}
