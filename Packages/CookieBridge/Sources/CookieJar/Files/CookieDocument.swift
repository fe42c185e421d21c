// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The format of cookies in a file: JSON, `{"format": 1, "cookies": […]}`. It is separate from ``Cookie``, so that a
/// change of ``Cookie`` does not make existing files unreadable.
struct CookieDocument: Codable {
    static let currentFormat = 1

    var format = currentFormat
    var cookies: [Entry]

    private enum CodingKeys: String, CodingKey {
        case format, cookies
    }

    struct Entry: Codable {
        var name: String
        var value: String
        var domain: String
        var hostOnly: Bool
        var path: String
        /// The expiry time in seconds since 2001-01-01, as for all dates of this format; `nil` for a session cookie.
        var expires: Double?
        var created: Double
        var lastAccess: Double
        var secure: Bool
        var httpOnly: Bool
        var sameSite: String

        private enum CodingKeys: String, CodingKey {
            case name, value, domain, hostOnly, path, expires, created, lastAccess, secure, httpOnly, sameSite
        }
    }

    /// The format number alone, which decides whether the rest can be decoded.
    struct Format: Codable {
        var format: Int

        private enum CodingKeys: String, CodingKey {
            case format
        }
    }

    init(_ cookies: [Cookie]) {
        self.cookies = cookies.map(Entry.init)
    }
}

extension CookieDocument.Entry {
    init(_ cookie: Cookie) {
        self.init(
            name: cookie.identity.name, value: cookie.value, domain: cookie.identity.domain,
            hostOnly: cookie.identity.isHostOnly, path: cookie.identity.path,
            expires: cookie.expires?.timeIntervalSinceReferenceDate,
            created: cookie.created.timeIntervalSinceReferenceDate,
            lastAccess: cookie.lastAccess.timeIntervalSinceReferenceDate, secure: cookie.isSecure,
            httpOnly: cookie.isHTTPOnly, sameSite: cookie.sameSite.rawValue)
    }

    /// The cookie; `nil` for an entry that no jar would have written.
    var cookie: Cookie? {
        guard let sameSite = Cookie.SameSite(rawValue: sameSite) else { return nil }
        let cookie = Cookie(
            Cookie.Identity(name: name, domain: domain, isHostOnly: hostOnly, path: path), value: value,
            expires: expires.map(Date.init(timeIntervalSinceReferenceDate:)),
            created: Date(timeIntervalSinceReferenceDate: created),
            lastAccess: Date(timeIntervalSinceReferenceDate: lastAccess), isSecure: secure, isHTTPOnly: httpOnly,
            sameSite: sameSite)
        return (try? cookie.check()).map { cookie }
    }
}
