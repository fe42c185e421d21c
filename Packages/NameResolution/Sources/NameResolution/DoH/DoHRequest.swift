// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import WebSyntax

/// The requests of DNS over HTTPS (RFC 8484, section 4.1).
struct DoHRequest: Sendable, Hashable {
    /// A request method.
    typealias Method = NameServer.Method

    /// The media type of DNS messages (RFC 8484, section 6).
    static let mediaType = "application/dns-message"

    /// The head of the request. It has no cookies and no header fields of the app (RFC 8484, section 8.2).
    let head: HTTPRequest
    /// The body; `nil` for GET.
    let body: [UInt8]?

    /// Creates the request for a question.
    init(_ question: DNSQuestion, to server: ResolverServer, method: Method) {
        let message = QueryMessage.encode(question)
        var path = server.path
        var fields: HTTPFields = [.accept: Self.mediaType]
        switch method {
        case .get: path += "?dns=" + Self.base64URL(message)
        case .post:
            fields[.contentType] = Self.mediaType
            fields[.contentLength] = String(message.count)
        }
        head = HTTPRequest(
            method: method == .get ? .get : .post, scheme: "https",
            authority: server.authority.authority(isSecure: true), path: path, headerFields: fields)
        body = method == .get ? nil : message
    }

    /// Returns the base64url form without padding (RFC 4648, section 5; RFC 8484, section 6).
    static func base64URL(_ bytes: [UInt8]) -> String {
        let text = Data(bytes).base64EncodedString().utf8.compactMap { byte -> UInt8? in
            switch byte {
            case UInt8(ascii: "+"): UInt8(ascii: "-")
            case UInt8(ascii: "/"): UInt8(ascii: "_")
            case UInt8(ascii: "="): nil
            default: byte
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
