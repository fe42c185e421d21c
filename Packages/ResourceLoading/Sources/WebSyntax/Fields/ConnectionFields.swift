// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Fields that apply to one connection only, which an intermediary removes before it forwards a message (RFC 9110,
/// sections 7.6.1 and 11.7).
public enum ConnectionFields {
    /// The names that are always of one connection, in lower case.
    public static let names: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// Returns the names that are of one connection in a message, in lower case.
    /// - Parameter connection: the values of the message's `Connection` fields, whose members are such names too.
    @inlinable
    public static func names(namedBy connection: some Sequence<String>) -> Set<String> {
        var names = names
        for member in FieldList.members(of: connection) { names.insert(member.asciiLowercased) }
        return names
    }
}

/// Request header fields that scripts cannot set (Fetch, section 2.2.2, forbidden request-header).
public enum ForbiddenRequestFields {
    private static let names: Set<String> = [
        "accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
        "access-control-request-private-network", "connection", "content-length", "cookie", "cookie2", "date", "dnt",
        "expect", "host", "keep-alive", "origin", "referer", "set-cookie", "te", "trailer", "transfer-encoding",
        "upgrade", "via",
    ]

    /// Returns a Boolean value that indicates whether scripts cannot set a field of this name, whatever its value.
    /// - Parameter name: in lower case.
    public static func contains(_ name: String) -> Bool {
        names.contains(name) || name.hasPrefix("proxy-") || name.hasPrefix("sec-")
    }

    /// Returns a Boolean value that indicates whether scripts cannot set this field.
    /// - Parameters:
    ///   - name: the field name in lower case.
    ///   - value: the field value. It only matters for fields that override the method, such as `x-http-method`.
    public static func contains(_ name: String, value: String) -> Bool {
        switch name {
        case "x-http-method", "x-http-method-override", "x-method-override":
            FieldList.members(of: value).contains { method in
                ["connect", "trace", "track"].contains(method.asciiLowercased)
            }
        default: contains(name)
        }
    }
}
