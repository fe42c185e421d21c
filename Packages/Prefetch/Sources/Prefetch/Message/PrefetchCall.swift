// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import ResourceLoading

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

/// The answer to a ``PrefetchCall``, as a page gets it: `{status, headers, body}`.
public struct PrefetchReply: Sendable {
    /// The JSON of the message.
    public let json: Data

    /// Reads a whole answer, which must have been decoded: as text of UTF-8, with the names of its headers in lower
    /// case. Cookies are left out: scripts see theirs in `document.cookie`.
    /// - Parameters:
    ///   - response: the decoded response, whose body has not been read yet.
    ///   - limit: the most bytes of the body; 1 MiB by default.
    /// - Throws: `ResourceError` if the body breaks off or is larger than `limit`.
    public init(_ response: ResourceResponse, limit: Int = 1 << 20) async throws {
        let body = try await response.body.collect(upTo: limit)
        var names: [HTTPField.Name] = []
        for field in response.head.headerFields where field.name != .setCookie && !names.contains(field.name) {
            names.append(field.name)
        }
        let headers = names.map { name in
            JSONValue.Member(
                name: name.canonicalName, value: .string(response.head.headerFields[name] ?? ""))
        }
        let reply = JSONValue.object([
            JSONValue.Member(name: "status", value: .number(String(response.head.status.code))),
            JSONValue.Member(name: "headers", value: .object(headers)),
            JSONValue.Member(name: "body", value: .string(String(decoding: body, as: UTF8.self))),
        ])
        json = Data(reply.text)
    }
}
