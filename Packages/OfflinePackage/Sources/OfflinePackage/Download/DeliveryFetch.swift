// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// A sender of GET requests that follows a limited number of redirects, but never from https to http.
struct DeliveryFetch: Sendable {
    static let redirectLimit = 5
    let loader: any ResourceLoader
    private let allowsInsecure: Bool
    private let mayFollow: @Sendable (_ target: String) -> Bool

    /// Creates a fetch.
    /// - Parameters:
    ///   - loader: the network loader.
    ///   - allowsInsecure: whether `http` URLs of other machines are allowed.
    ///   - mayFollow: a closure that returns a Boolean value that indicates whether a redirect to a URL may be
    ///     followed.
    init(
        loader: any ResourceLoader, allowsInsecure: Bool,
        mayFollow: @escaping @Sendable (_ target: String) -> Bool = { _ in true }
    ) {
        self.loader = loader
        self.allowsInsecure = allowsInsecure
        self.mayFollow = mayFollow
    }

    /// Sends a request and returns the final response.
    /// - Throws: ``DeliveryError``, ``ResourceError`` or `CancellationError`.
    func get(_ url: String, _ fields: HTTPFields) async throws -> ResourceResponse {
        var target = url
        for _ in 0...Self.redirectLimit {
            guard let head = HTTPRequest(urlText: target, headerFields: fields),
                head.scheme == "https" || head.scheme == "http"
            else { throw DeliveryError(.badURL, "the URL is not an absolute http or https URL", at: target) }
            if !allowsInsecure { try SecureURL.check(target) }
            guard let response = try await loader.load(ResourceRequest(head)) else {
                throw DeliveryError(.network, "no loader returned a response", at: target)
            }
            guard [301, 302, 303, 307, 308].contains(response.head.status.code),
                let location = response.head.headerFields[.location]
            else { return response }
            guard let next = URLSpelling.resolve(location, against: target) else {
                throw DeliveryError(.badURL, "the target of the redirect is not an http or https URL", at: target)
            }
            guard head.scheme == "http" || next.utf8.startsIgnoringCase("https:") else {
                throw DeliveryError(.badURL, "the redirect leads from https to http", at: target)
            }
            guard mayFollow(next) else {
                throw DeliveryError(.outOfScope, "the redirect to \(next) is not allowed", at: target)
            }
            target = next
        }
        throw DeliveryError(.network, "more than \(Self.redirectLimit) redirects", at: url)
    }
}

extension ResourceBody {
    /// Passes the bytes of the body to `consume`, in pieces and in order.
    /// - Throws: the error of the body's source or of `consume`.
    func forEachPiece(_ consume: (Data) throws -> Void) async throws {
        switch self {
        case .empty: break
        case .bytes(let data): try consume(data)
        case .file(let slice):
            var offset = 0
            while offset < slice.range.count {
                try Task.checkCancellation()
                let count = Swift.min(256 << 10, slice.range.count - offset)
                try consume(slice.read(at: offset, count: count))
                offset += count
            }
        case .stream(let stream):
            for try await piece in stream { try consume(piece) }
        }
    }
}
