// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// Completes requests that are made ahead with what the engine would add.
public protocol PrefetchCompleting: Sendable {
    /// Adds cookies, languages, user agent, origin and referrer to a request, as the page's own will have them where it
    /// reaches the prefetch.
    ///
    /// An answer goes to a request with the same of them only, see ``PrefetchLoader/Configuration/ignoredFields``.
    /// - Parameter request: a request of the page in `ResourceRequest.page`, with no header field but `Content-Type`.
    /// - Throws: anything, where the request is not to be made.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest
}
