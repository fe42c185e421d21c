// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// A loader that follows up to five redirects of the app's own requests, but never from https to http.
///
/// Only redirects of GET requests are followed. Requests to another origin carry only content negotiation,
/// `Cache-Control` and `User-Agent` fields, so that tokens and cookies stay with their server.
@_spi(Facade) public struct RedirectedLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let mayFollow: @Sendable (_ url: String, _ target: String) -> Bool

    /// Creates a loader.
    /// - Parameters:
    ///   - base: the network loader, which must not follow redirects itself.
    ///   - mayFollow: a closure that returns a Boolean value that indicates whether a request for a URL may be
    ///     redirected to a target. Default: every redirect is followed.
    public init(
        _ base: any ResourceLoader,
        mayFollow: @escaping @Sendable (_ url: String, _ target: String) -> Bool = { _, _ in true }
    ) {
        self.base = base
        self.mayFollow = mayFollow
    }

    /// Loads a request and follows its redirects.
    /// - Throws: ``DeliveryError`` for a redirect that is not followed, or the error of the network loader.
    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.head.method == .get else { return try await base.load(request) }
        let url = request.head.urlText
        let fetch = DeliveryFetch(loader: HomeFields(base: base, home: request.head), allowsInsecure: true) {
            [mayFollow] in
            mayFollow(url, $0)
        }
        return try await fetch.get(url, request.head.headerFields)
    }

    /// A decorator that removes all but harmless header fields from requests to another origin.
    private struct HomeFields: ResourceLoader {
        static let mayTravel: Set<HTTPField.Name> = [
            .accept, .acceptEncoding, .acceptLanguage, .cacheControl, .userAgent,
        ]
        let base: any ResourceLoader
        let home: HTTPRequest

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            var request = request
            if request.head.scheme != home.scheme
                || request.head.authority?.asciiLowercased != home.authority?.asciiLowercased
            {
                for field in request.head.headerFields where !Self.mayTravel.contains(field.name) {
                    request.head.headerFields[field.name] = nil
                }
            }
            return try await base.load(request)
        }
    }
}
