// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension LegacyBodyMessage {
    /// Whether a header of a message is passed over, without a word, as `setRequestHeader` does: a forbidden request-header
    /// (Fetch, section 2.2.2), and the one that is the bridge's own.
    public static func isForbidden(_ name: HTTPField.Name, _ value: String) -> Bool {
        let name = name.canonicalName
        switch name {
        case "accept-charset", "accept-encoding", "access-control-request-headers", "access-control-request-method",
            "access-control-request-private-network", "connection", "content-length", "cookie", "cookie2", "date",
            "dnt",
            "expect", "host", "keep-alive", "origin", "referer", "set-cookie", "te", "trailer", "transfer-encoding",
            "upgrade", "via", InjectedScript.field.lowercased():
            return true
        case "x-http-method", "x-http-method-override", "x-method-override":
            return value.split(separator: ",").contains { method in
                ["connect", "trace", "track"].contains(method.filter { $0 != " " && $0 != "\t" }.lowercased())
            }
        default: return name.hasPrefix("proxy-") || name.hasPrefix("sec-")
        }
    }
}
