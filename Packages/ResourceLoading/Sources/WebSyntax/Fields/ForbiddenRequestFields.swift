// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
