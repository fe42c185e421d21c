// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

extension HTTPFields {
    /// The fields without those of one connection (RFC 9110, section 7.6.1).
    func withoutConnectionFields() -> HTTPFields {
        let names = ConnectionFields.names(namedBy: self[values: .connection])
        return filter { !names.contains($0.name.canonicalName) }
    }

    /// The fields of a request as they are sent: without those of one connection. `Cookie` is one field, as servers of
    /// HTTP/1.1 have it (RFC 6265, section 5.4): HTTPFields keeps each cookie as a field of its own, as HTTP/2 may (RFC
    /// 9113, section 8.2.3).
    func sentOnConnection() -> HTTPFields {
        var result = withoutConnectionFields()
        guard let cookies = result[.cookie] else { return result }
        // Not by its name, which would take it apart again.
        result[fields: .cookie] = [HTTPField(name: .cookie, value: cookies)]
        return result
    }
}
