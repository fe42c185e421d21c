// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A page's message that asks for an answer fetched ahead: `{url, method, body}`, and `GET` without a method.
public struct PrefetchCall: Sendable {
    let url: PrefetchURL
    /// The URL of the request, absolute, of `http` or `https`.
    public var target: String { url.text }
    /// In upper case.
    public let method: HTTPRequest.Method
    let body: RequestIdentity.Body

    /// Reads a message. A body that is a text is the body itself, any other is sent as JSON; members that are not known
    /// are ignored.
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
