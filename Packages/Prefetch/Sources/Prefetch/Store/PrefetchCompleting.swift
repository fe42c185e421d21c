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
    /// - Parameter request: a request of the page in `ResourceRequest.page`, with no header field but `Content-Type`.
    /// - Throws: anything, where the request is not to be made.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest

    /// Asks for a request that is completed.
    /// - Parameters:
    ///   - request: the completed request.
    ///   - loader: the loader that answers the request.
    ///   - receive: the function to call with the values of the `Set-Cookie` fields of the answer, before a request of
    ///     the page can carry these cookies. The default implementation passes the fields that the answer has.
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
