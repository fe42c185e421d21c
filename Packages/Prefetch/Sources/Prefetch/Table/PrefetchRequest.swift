// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import ResourceLoading

/// A request that is sent before the page's own request.
public struct PrefetchRequest: Sendable {
    package let identity: RequestIdentity
    /// The method, in upper case.
    public let method: HTTPRequest.Method
    /// The absolute http or https URL, without a fragment.
    public let url: String
    /// The JSON body; `nil` if the request has no body.
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

    /// Returns the request for the page's document; `nil` if the text is not an absolute http or https URL.
    public static func document(_ url: String) -> PrefetchRequest? {
        PrefetchURL(url).map { PrefetchRequest(document: $0) }
    }

    /// A Boolean value that indicates whether the request is for the page's document.
    public var isDocument: Bool { identity.isDocument }

    /// Returns the request for the loaders, on behalf of a page.
    func resource(for page: PageReference) -> ResourceRequest? {
        guard var head = HTTPRequest(method: method, urlText: url) else { return nil }
        if body != nil { head.headerFields[.contentType] = "application/json" }
        return ResourceRequest(
            head, body: body.map { .bytes($0) } ?? .empty, destination: isDocument ? .document : .subresource,
            mode: isDocument ? .navigate : .cors, credentials: .include,
            page: PageAttribution(page, confidence: .exact))
    }
}
