// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Fields that apply to one connection only. An intermediary removes them before it forwards a message (RFC 9110,
/// sections 7.6.1 and 11.7).
public enum ConnectionFields {
    /// The lowercase names of the fields that always apply to one connection.
    public static let names: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "transfer-encoding", "upgrade",
    ]

    /// Returns the lowercase names of the fields in a message that apply to one connection.
    /// - Parameter connection: the values of the message's `Connection` fields. Their members are further names of
    ///   fields that apply to one connection.
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
    /// - Parameter name: the field name in lowercase.
    public static func contains(_ name: String) -> Bool {
        names.contains(name) || name.hasPrefix("proxy-") || name.hasPrefix("sec-")
    }

    /// Returns a Boolean value that indicates whether scripts cannot set this field.
    /// - Parameters:
    ///   - name: the field name in lowercase.
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
