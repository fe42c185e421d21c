// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ConnectTunnel

/// What a proxy opens, and whose a request is.
///
/// Isolation: any, and concurrently; asked on an event loop, so that it answers from memory.
public protocol InterceptPolicy: RequestCompleting {
    /// Whether connections to there are opened: the proxy stands in for the host. All others pass end to end, unseen.
    func opens(_ target: HostPort) -> Bool
}
