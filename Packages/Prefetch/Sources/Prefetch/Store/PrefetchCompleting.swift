// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// Completes requests that are made ahead with what the engine would add.
public protocol PrefetchCompleting: Sendable {
    /// Adds cookies, languages, user agent, origin and referrer to a request, as the page's own will have them where it
    /// reaches the prefetch.
    ///
    /// An answer goes to a request with the same of them only, see ``PrefetchLoader/Configuration/ignoredFields``.
    /// - Parameter request: of the page in ``ResourceRequest/page``, with `Content-Type` at most.
    /// - Throws: anything, where the request is not to be made.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest

    /// Asks for a request that is completed.
    /// - Parameter receive: receives what the answer says of cookies, the values of its `Set-Cookie` fields, before any
    ///   request of the page's own can have these: it may come with them from then on. Default: told those that the
    ///   answer has.
    /// - Throws: what the loader throws.
    func answer(
        to request: ResourceRequest, from loader: any ResourceLoader,
        receiving receive: @escaping @Sendable ([String]) -> Void
    ) async throws -> ResourceResponse?
}

extension PrefetchCompleting {
    public func answer(
        to request: ResourceRequest, from loader: any ResourceLoader,
        receiving receive: @escaping @Sendable ([String]) -> Void
    ) async throws -> ResourceResponse? {
        let response = try await loader.load(request)
        receive(response?.head.headerFields[values: .setCookie] ?? [])
        return response
    }
}
