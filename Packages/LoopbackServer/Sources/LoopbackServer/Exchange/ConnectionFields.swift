// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1

/// Fields between NIO's messages and the house's, without those that speak of one connection (RFC 9110, section 7.6.1).
enum ConnectionFields {
    private static let known: Set<String> = [
        "connection", "expect", "host", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection",
        "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields of a request that go further. Its length is the body's own.
    static func removed(from headers: HTTPHeaders) -> HTTPFields {
        let named = headers[canonicalForm: "connection"].map { $0.lowercased() }
        var fields = HTTPFields()
        for (name, value) in headers {
            let lower = name.lowercased()
            guard lower != "content-length", !known.contains(lower), !named.contains(lower),
                let fieldName = HTTPField.Name(name)
            else { continue }
            fields.append(HTTPField(name: fieldName, value: value))
        }
        return fields
    }

    /// The fields of an answer that go to the engine, but for its length.
    static func passed(from fields: HTTPFields) -> HTTPHeaders {
        var headers = HTTPHeaders()
        headers.reserveCapacity(fields.count + 2)
        let named = fields[values: .connection].flatMap { $0.split(separator: ",") }
            .map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
        for field in fields {
            let name = field.name.canonicalName
            guard name != "content-length", !known.contains(name), !named.contains(name) else { continue }
            headers.add(name: field.name.rawName, value: field.value)
        }
        return headers
    }
}
