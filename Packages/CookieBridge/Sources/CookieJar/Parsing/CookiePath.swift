// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Paths of cookies (RFC 6265bis, section 5.1.4), compared byte by byte.
enum CookiePath {
    /// The longest path that is stored. An attribute is no longer; a default path may be, and would cost memory.
    static let maxBytes = 1_024

    /// Whether a cookie of this path belongs to a request for that one.
    static func matches(_ request: String, _ cookie: String) -> Bool {
        guard request.utf8.starts(with: cookie.utf8) else { return false }
        return cookie.utf8.count == request.utf8.count || cookie.utf8.last == UInt8(ascii: "/")
            || request.utf8.dropFirst(cookie.utf8.count).first == UInt8(ascii: "/")
    }
}
