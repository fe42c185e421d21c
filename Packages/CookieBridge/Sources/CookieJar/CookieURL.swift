// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
internal import WebSyntax

/// The parts of a URL that cookies depend on, checked: scheme, host and path. Ports and users make no difference to
/// cookies (RFC 6265bis, section 8.5).
public struct CookieURL: Sendable, Hashable {
    /// `http`, `https`, `ws` or `wss`.
    public let scheme: String
    /// In lower case, and in A-labels; an IPv6 address stands in brackets, in its shortest form. A trailing dot stays, and
    /// makes another host.
    public let host: String
    /// Begins with a slash. Its escapes are as they were, and its dot segments, too: what is sent is what counts. Bytes
    /// beyond ASCII are escaped, as they are sent.
    public let path: String

    /// Reads an absolute URL.
    /// - Returns: `nil` for other schemes, and for what could be read in two ways: control characters, spaces,
    ///   backslashes before the path, hosts with escapes or letters beyond ASCII, numbers that are no address.
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

    /// Reads the absolute form of a URL.
    public init?(_ url: URL) {
        self.init(url.absoluteString)
    }

    /// Puts a URL together.
    /// - Parameters:
    ///   - scheme: `http`, `https`, `ws` or `wss`, in upper or lower case.
    ///   - host: the host without a port; an IPv6 address in brackets.
    ///   - path: the path without a query; an empty one stands for a slash.
    /// - Returns: `nil` as for a whole URL, and for a path that begins with anything but a slash.
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

    /// Whether secure cookies go there and come from there: over TLS, or without it to this very device (`localhost`,
    /// names below it, 127.0.0.0/8 and `::1`), as Chromium and Firefox have it.
    public var isSecure: Bool {
        scheme == "https" || scheme == "wss" || CookieHost.isLoopback(host)
    }

    /// The path of a cookie that says none (section 5.1.4).
    public var defaultPath: String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), slash != path.utf8.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// Whether a cookie of this path is sent to this URL (section 5.1.4).
    public func matches(path cookiePath: String) -> Bool {
        CookiePath.matches(path, cookiePath)
    }
}
