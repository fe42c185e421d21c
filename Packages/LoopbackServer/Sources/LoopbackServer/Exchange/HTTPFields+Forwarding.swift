// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1
internal import WebSyntax

extension HTTPFields {
    /// Creates the forwarded fields of a request, without connection-specific fields and without `ownNames`, but with
    /// `Content-Length: 0`, which distinguishes an empty body from a missing one.
    init(forwarding headers: HTTPHeaders) {
        let names = ConnectionFields.names(namedBy: headers["connection"])
        self.init()
        for (name, value) in headers {
            let lower = name.asciiLowercased
            let isEmptyLength = lower == "content-length" && value == "0"
            guard isEmptyLength || !HTTPHeaders.ownNames.contains(lower), !names.contains(lower),
                let name = HTTPField.Name(name)
            else { continue }
            append(HTTPField(name: name, lenientValue: value.utf8))
        }
    }
}

extension HTTPHeaders {
    /// The lowercase names of fields that the server writes or reads itself.
    fileprivate static let ownNames: Set<String> = ["content-length", "expect", "host"]

    /// Creates the forwarded fields of a response, without connection-specific fields and without `ownNames`.
    init(forwarding fields: HTTPFields) {
        let names = ConnectionFields.names(namedBy: fields[values: .connection])
        self.init()
        reserveCapacity(fields.count + 2)
        for field in fields {
            let name = field.name.canonicalName
            guard !Self.ownNames.contains(name), !names.contains(name) else { continue }
            add(name: field.name.rawName, value: field.value)
        }
    }
}
