// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// Says of requests what a server on loopback cannot know.
///
/// Isolation: any, and concurrently; asked on an event loop, so that it answers from memory.
public protocol RequestCompleting: Sendable {
    /// Completes a request that came through: the page, the destination. By default nothing.
    func complete(_ request: inout ResourceRequest)
}

extension RequestCompleting {
    public func complete(_ request: inout ResourceRequest) {}
}
