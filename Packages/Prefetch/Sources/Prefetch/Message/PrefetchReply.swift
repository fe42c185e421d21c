// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import HTTPTypes
public import ResourceLoading

/// The reply to a ``PrefetchCall``, as the page receives it: `{status, headers, body}`.
@_spi(Facade) public struct PrefetchReply: Sendable {
    /// The JSON of the message.
    public let json: Data

    /// Creates a reply from a whole response, which must be decoded. The body becomes UTF-8 text, and header names are
    /// in lower case. `Set-Cookie` is omitted, because scripts read cookies in `document.cookie`.
    /// - Parameters:
    ///   - response: the decoded response, whose body has not been read yet.
    ///   - limit: the maximum number of body bytes; 1 MiB by default.
    /// - Throws: `ResourceError` if the body ends early or is longer than `limit`.
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
