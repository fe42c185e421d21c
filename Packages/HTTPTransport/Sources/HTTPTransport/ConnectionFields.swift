// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// Fields that speak of one connection (RFC 9110, section 7.6.1) and mean nothing beyond it.
enum ConnectionFields {
    private static let known: Set<HTTPField.Name> = Set(
        [
            "connection", "keep-alive", "proxy-connection", "proxy-authenticate", "proxy-authorization", "te",
            "trailer",
            "transfer-encoding", "upgrade",
        ].compactMap { HTTPField.Name($0) })

    /// The fields that go further: without those of the connection, and without those that `Connection` names.
    static func removed(from fields: HTTPFields) -> HTTPFields {
        var named = known
        for value in fields[values: .connection] {
            for name in value.split(separator: ",") {
                let trimmed = name.drop { $0 == " " || $0 == "\t" }.prefix { $0 != " " && $0 != "\t" }
                if let name = HTTPField.Name(String(trimmed)) { named.insert(name) }
            }
        }
        var result = HTTPFields()
        for field in fields where !named.contains(field.name) { result.append(field) }
        return result
    }

    /// The fields of a request that go further. `Cookie` is one field, as servers of HTTP/1.1 have it (RFC 6265, section
    /// 5.4): HTTPFields keeps each cookie as a field of its own, as HTTP/2 may (RFC 9113, section 8.2.3).
    static func sent(from fields: HTTPFields) -> HTTPFields {
        var result = removed(from: fields)
        guard let cookies = result[.cookie] else { return result }
        // Not by its name, which would take it apart again.
        result[fields: .cookie] = [HTTPField(name: .cookie, value: cookies)]
        return result
    }
}
