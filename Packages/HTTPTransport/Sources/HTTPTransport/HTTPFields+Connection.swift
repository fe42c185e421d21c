// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
internal import WebSyntax

extension HTTPFields {
    /// Returns the fields without connection-specific fields (RFC 9110, section 7.6.1).
    package func withoutConnectionFields() -> HTTPFields {
        let names = ConnectionFields.names(namedBy: self[values: .connection])
        return filter { !names.contains($0.name.canonicalName) }
    }

    /// Returns the fields of a request in the form that is sent, without connection-specific fields.
    ///
    /// `Cookie` becomes one field (RFC 6265, section 5.4). `HTTPFields` stores one field per cookie, as HTTP/2 allows
    /// (RFC 9113, section 8.2.3).
    package func sentOnConnection() -> HTTPFields {
        var result = withoutConnectionFields()
        guard let cookies = result[.cookie] else { return result }
        // Setting the field by its name alone would split the value into several fields again.
        result[fields: .cookie] = [HTTPField(name: .cookie, value: cookies)]
        return result
    }
}
