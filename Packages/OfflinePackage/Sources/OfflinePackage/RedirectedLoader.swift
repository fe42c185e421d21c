// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// Follows the redirects of what an app fetches for itself, as the updater does for packages: at most five of them, and
/// never from https to http.
///
/// Only GET is followed. To another origin go the fields that say what is understood, and no others: a token or a cookie
/// is for the server that it was given to.
public struct RedirectedLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let mayFollow: @Sendable (_ url: String, _ target: String) -> Bool

    /// - Parameters:
    ///   - base: the network; one that follows redirects itself never shows any.
    ///   - mayFollow: returns a Boolean value that indicates whether a request for a URL may go on to the target of a
    ///     redirect. By default every one may.
    public init(
        _ base: any ResourceLoader,
        mayFollow: @escaping @Sendable (_ url: String, _ target: String) -> Bool = { _, _ in true }
    ) {
        self.base = base
        self.mayFollow = mayFollow
    }

    /// - Throws: ``DeliveryError`` for a redirect that is not followed, or what the network throws.
    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get else { return try await base.load(request) }
        let url = request.head.urlText
        let fetch = DeliveryFetch(loader: HomeFields(base: base, home: request.head), allowsInsecure: true) {
            [mayFollow] in
            mayFollow(url, $0)
        }
        return try await fetch.get(url, request.head.headerFields)
    }

    /// Takes the fields from a request that leaves its origin.
    private struct HomeFields: ResourceLoader {
        static let mayTravel: Set<HTTPField.Name> = [
            .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .userAgent,
        ]
        let base: any ResourceLoader
        let home: HTTPRequest

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            var request = request
            if request.head.scheme != home.scheme
                || request.head.authority?.lowercased() != home.authority?.lowercased()
            {
                for field in request.head.headerFields where !Self.mayTravel.contains(field.name) {
                    request.head.headerFields[field.name] = nil
                }
            }
            return try await base.load(request)
        }
    }
}
