// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ResourceLoading

/// A type that adds to prefetch requests the fields that the engine would add.
public protocol PrefetchCompleting: Sendable {
    /// Adds cookies, languages, user agent, origin and referrer to a request, as the page's own request will have them
    /// when it reaches the prefetch loader.
    ///
    /// A response is only used for a request with the same fields; see ``PrefetchLoader/Configuration/ignoredFields``.
    /// - Parameter request: a request with its page in `ResourceRequest.page`, and no header field but `Content-Type`.
    /// - Throws: any error, if the request must not be sent.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest
}
