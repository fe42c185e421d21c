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

    /// Records the cookies that the response to a page's document request sets, before the engine has stored them.
    /// Requests of the page that are completed from now on have them. By default, nothing is recorded, for a type that
    /// reads the stored cookies for each request.
    /// - Parameters:
    ///   - setCookies: the values of the `Set-Cookie` fields that no loader has stored; at least one.
    ///   - request: the document request, with its page in `ResourceRequest.page`.
    func record(_ setCookies: [String], of request: ResourceRequest) async
}

extension PrefetchCompleting {
    public func record(_ setCookies: [String], of request: ResourceRequest) async {}
}
