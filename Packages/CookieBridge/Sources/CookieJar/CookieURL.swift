// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebSyntax

/// The validated parts of a URL that cookies depend on: scheme, host and path. Cookies do not depend on ports and user
/// information (RFC 6265bis, section 8.5).
public struct CookieURL: Sendable, Hashable {
    /// The scheme: `http`, `https`, `ws` or `wss`.
    public let scheme: String
    /// The host in lower case and in A-labels. An IPv6 address is in brackets, in its shortest form. A trailing dot
    /// remains; a host with a trailing dot and a host without it are different hosts.
    public let host: String
    /// The path, which begins with a slash, in the form that is sent: escapes and dot segments are unchanged, and bytes
    /// beyond ASCII are percent-encoded.
    public let path: String

    /// Creates the parts from an absolute URL.
    /// - Returns: `nil` for other schemes and for ambiguous text: control characters, spaces, backslashes before the
    ///   path, hosts with escapes or characters beyond ASCII, and numeric hosts that are not an address.
    public init?(_ text: String) {
        guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }),
            let colon = text.utf8.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        let rest = text[text.utf8.index(after: colon)...].utf8
        guard rest.starts(with: "//".utf8) else { return nil }
        let hierarchy = rest.dropFirst(2)
        let end = hierarchy.firstIndex { "/?#\\".utf8.contains($0) } ?? hierarchy.endIndex
        let tail = hierarchy[end...]
        let path = tail[..<(tail.firstIndex { "?#".utf8.contains($0) } ?? tail.endIndex)]
        let (host, port) = Authority.split(Authority.withoutUser(hierarchy[..<end]))
        guard path.first != UInt8(ascii: "\\"),
            port.map({ $0.isEmpty || UInt16(decimalDigits: $0) != nil }) ?? true
        else { return nil }
        self.init(scheme: String(text[..<colon]), host: String(Substring(host)), path: String(Substring(path)))
    }

    /// Creates the parts from their text.
    /// - Parameters:
    ///   - scheme: `http`, `https`, `ws` or `wss`, in upper or lower case.
    ///   - host: the host without a port; an IPv6 address in brackets.
    ///   - path: the path without a query; an empty path stands for a slash.
    /// - Returns: `nil` as for a whole URL, and for a path that does not begin with a slash.
    public init?(scheme: String, host: String, path: String) {
        let scheme = scheme.asciiLowercased
        guard ["https", "http", "wss", "ws"].contains(scheme), let host = CookieHost.canonical(host) else { return nil }
        guard path.isEmpty || path.utf8.first == UInt8(ascii: "/"),
            !path.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F })
        else { return nil }
        self.scheme = scheme
        self.host = host
        self.path = path.isEmpty ? "/" : PercentEncoding.encode(path, keeping: .all)
    }

    /// A Boolean value that indicates whether Secure cookies are sent to the URL and accepted from it. It is `true` for
    /// TLS and for the local device (`localhost`, names below it, 127.0.0.0/8 and `::1`), as in Chromium and Firefox.
    public var isSecure: Bool {
        scheme == "https" || scheme == "wss" || CookieHost.isLoopback(host)
    }

    /// The path of a cookie without a `Path` attribute (section 5.1.4).
    public var defaultPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.utf8.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Returns a Boolean value that indicates whether a cookie of this path is sent to this URL (section 5.1.4).
    public func matches(path cookiePath: String) -> Bool {
        CookiePath.matches(path, cookiePath)
    }
}
