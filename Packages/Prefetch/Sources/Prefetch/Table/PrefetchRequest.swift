// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading

/// A request that is made ahead of the page's own.
public struct PrefetchRequest: Sendable {
    let identity: RequestIdentity
    /// In upper case.
    public let method: HTTPRequest.Method
    /// An absolute URL of `http` or `https`, without a fragment.
    public let url: String
    /// JSON; `nil` where the request has no body.
    public let body: Data?

    init(_ method: HTTPRequest.Method, _ url: PrefetchURL, body: JSONValue?) {
        self.method = method
        self.url = url.text
        self.body = body.map { Data($0.text) }
        identity = RequestIdentity(
            method: method.rawValue, url: url.text, body: body.map { .json($0.canonical) } ?? .none, isDocument: false)
    }

    private init(document url: PrefetchURL) {
        method = .get
        self.url = url.text
        body = nil
        identity = RequestIdentity(method: "GET", url: url.text, body: .none, isDocument: true)
    }

    /// The page's document itself; `nil` where the text is no absolute URL of `http` or `https`.
    public static func document(_ url: String) -> PrefetchRequest? {
        PrefetchURL(url).map { PrefetchRequest(document: $0) }
    }

    /// Whether the page's document is asked for.
    public var isDocument: Bool { identity.isDocument }

    /// The request as it enters the chain on behalf of a page.
    func resource(for page: PageReference) -> ResourceRequest? {
        guard var head = HTTPRequest(method: method, urlText: url) else { return nil }
        if body != nil { head.headerFields[.contentType] = "application/json" }
        return ResourceRequest(
            head, body: body.map { .bytes($0) } ?? .empty, destination: isDocument ? .document : .subresource,
            mode: isDocument ? .navigate : .cors, credentials: .include,
            page: PageAttribution(page, confidence: .exact))
    }
}

/// What makes two requests the same: method, URL and canonical body, and whether a document is asked for.
struct RequestIdentity: Sendable, Hashable {
    /// A body as it is compared.
    enum Body: Sendable, Hashable {
        case none
        /// The canonical form of a JSON value.
        case json([UInt8])
        /// What is no JSON, byte for byte.
        case other([UInt8])

        init(_ bytes: Data) {
            if bytes.isEmpty {
                self = .none
            } else if let value = try? JSONValue(json: bytes, maxDepth: 64) {
                self = .json(value.canonical)
            } else {
                self = .other(Array(bytes))
            }
        }
    }

    /// In upper case.
    let method: String
    /// Of ``PrefetchURL``.
    let url: String
    let body: Body
    let isDocument: Bool
}
