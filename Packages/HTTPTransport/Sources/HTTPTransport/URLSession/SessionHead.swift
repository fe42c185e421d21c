// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The namespace for conversions of a session's response head.
enum SessionHead {
    /// The codings that sessions remove, on Apple's systems and, with libcurl, on Linux.
    private static let known: Set<String> = ["gzip", "x-gzip", "deflate", "br", "identity"]

    static func isEventStream(_ response: HTTPURLResponse) -> Bool {
        let type = response.value(forHTTPHeaderField: "Content-Type") ?? ""
        return MediaType.essence(of: type) == "text/event-stream"
    }

    /// Returns a Boolean value that indicates whether the session has decoded the body.
    static func wasDecoded(_ response: HTTPURLResponse?) -> Bool {
        guard let text = response?.value(forHTTPHeaderField: "Content-Encoding") else { return false }
        let codings = FieldList.members(of: text).map(\.asciiLowercased)
        return codings.contains { $0 != "identity" } && codings.allSatisfy(known.contains)
    }

    /// Returns the head that matches the bytes that the session delivers.
    static func head(_ response: HTTPURLResponse) -> HTTPResponse {
        var fields = HTTPFields()
        let sorted = response.allHeaderFields.compactMap { key, value in
            (key as? String).map { ($0, value as? String ?? "\(value)") }
        }.sorted { $0.0 < $1.0 }
        for (name, value) in sorted {
            if let name = HTTPField.Name(name) { fields.append(HTTPField(name: name, value: value)) }
        }
        fields = fields.withoutConnectionFields()
        if wasDecoded(response) {
            fields[.contentEncoding] = nil
            fields[.contentLength] = nil
        }
        return HTTPResponse(status: HTTPResponse.Status(code: response.statusCode), headerFields: fields)
    }
}
