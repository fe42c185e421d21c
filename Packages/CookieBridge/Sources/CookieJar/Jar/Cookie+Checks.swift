// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebSyntax

extension Cookie {
    /// Returns a Boolean value that indicates whether the cookie has expired.
    func isExpired(at now: Date) -> Bool {
        expires.map { $0 <= now } ?? false
    }

    /// Checks a cookie that does not come from a field. A jar contains only cookies that a field could have set.
    /// - Throws: ``CookieRefusal``.
    package func check() throws(CookieRefusal) {
        let name = identity.name
        if name.isEmpty && value.isEmpty { throw CookieRefusal(.empty, name) }
        guard name.utf8.count + value.utf8.count <= SetCookie.maxPairBytes,
            identity.path.utf8.count <= CookiePath.maxBytes
        else { throw CookieRefusal(.tooLong) }
        for text in [name, value, identity.path] where text.utf8.contains(where: CookieBytes.isControl) {
            throw CookieRefusal(.controlCharacter)
        }
        // A semicolon would end the cookie in the `Cookie` field. Paths are not in that field, and paths of URLs may
        // contain semicolons.
        let breaks = [name, value].contains { $0.utf8.contains(UInt8(ascii: ";")) }
        let dates = [expires, created, lastAccess].compactMap { $0?.timeIntervalSinceReferenceDate }
        guard !breaks, !name.utf8.contains(UInt8(ascii: "=")), identity.path.utf8.first == UInt8(ascii: "/"),
            CookieHost.canonical(identity.domain).map({ $0.utf8.elementsEqual(identity.domain.utf8) }) == true,
            dates.allSatisfy(\.isFinite)
        else { throw CookieRefusal(.malformed, name) }
    }

    /// Checks the rules of the name prefixes (RFC 6265bis, section 5.7, steps 20 to 22).
    /// - Parameter hasPath: a Boolean value that indicates whether the path comes from an attribute, not from the URL.
    package func checkPrefix(hasPath: Bool) throws(CookieRefusal) {
        // Without a name, the value alone is sent, and a server could read it as a prefixed name.
        let first = identity.name.isEmpty ? value : identity.name
        let isHost = first.utf8.startsIgnoringCase("__host-")
        guard isHost || first.utf8.startsIgnoringCase("__secure-") else { return }
        let keepsHost = identity.isHostOnly && hasPath && identity.path == "/"
        guard !identity.name.isEmpty, isSecure, !isHost || keepsHost else {
            throw CookieRefusal(.prefix, identity.name)
        }
    }
}
