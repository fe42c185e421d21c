// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
public import Foundation

@_spi(Facade) extension LegacyCookieMessage {
    /// What a script would assign to `document.cookie` for the same change, so that whoever keeps the cookies judges it as
    /// one of that document's scripts.
    /// - Parameters: as for ``change(in:rules:now:)``.
    /// - Throws: as ``change(in:rules:now:)``.
    public func line(in document: URL, rules: Rules = Rules(), now: Date) throws -> String {
        let change = try change(in: document, rules: rules, now: now)
        let identity = change.identity
        var line = "\(identity.name)="
        switch change {
        case .set(let cookie):
            line += cookie.value
            // In whole seconds, and never none.
            if let end = cookie.expires { line += "; Max-Age=\(Int(end.timeIntervalSince(now).rounded(.up)))" }
        case .remove: line += "; Max-Age=0"
        }
        // A semicolon is in a document's own path alone, and would end the attribute: that path is what a cookie gets
        // without one.
        if !identity.path.utf8.contains(UInt8(ascii: ";")) { line += "; Path=\(identity.path)" }
        if !identity.isHostOnly { line += "; Domain=\(identity.domain)" }
        return isSecure ? line + "; Secure" : line
    }
}
