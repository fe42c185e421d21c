// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A message of a page that requests a prefetched response: `{url, method, body}`. The default method is `GET`.
@_spi(Facade) public struct PrefetchCall: Sendable {
    let url: PrefetchURL
    /// The absolute http or https URL of the request.
    public var target: String { url.text }
    /// The method, in upper case.
    public let method: HTTPRequest.Method
    let body: RequestIdentity.Body

    /// Creates a call from the JSON of a message. If the member `body` is a string, its content is the body; any other
    /// value is a JSON body. Unknown members are ignored.
    /// - Throws: ``PrefetchError``, which names the member.
    public init(json: Data, limits: PrefetchLimits = .default) throws(PrefetchError) {
        guard json.count <= limits.maxBytes else {
            throw PrefetchError(.limit, "\(json.count) bytes, limit \(limits.maxBytes)")
        }
        let fields = try JSONFields(JSONValue(json: json, maxDepth: limits.maxDepth), at: nil)
        url = try fields.url("url", limits)
        method = try fields.method(limits)
        switch fields["body"] {
        case nil: body = .none
        case .string(let text)?: body = RequestIdentity.Body(Data(text.utf8))
        case let value?: body = .json(value.canonical)
        }
    }

    var identity: RequestIdentity {
        RequestIdentity(method: method.rawValue, url: url.text, body: body, isDocument: false)
    }
}
