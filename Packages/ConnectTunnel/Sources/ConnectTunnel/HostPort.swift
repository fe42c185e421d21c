// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A host and a port, as a CONNECT asks for them (RFC 9110, section 9.3.6).
public struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address in lower case, of IPv6 without brackets.
    public let host: String
    /// 1 to 65535.
    public let port: Int

    /// Takes a host as URLs write it, with or without the brackets of IPv6.
    public init(host: String, port: Int) {
        self.host = host.filter { $0 != "[" && $0 != "]" }.lowercased()
        self.port = port
    }

    /// Reads `host:port`, also where an IPv6 address has no brackets; `nil` where one of them is missing, and for what
    /// no host is written with (RFC 3986, section 3.2.2).
    /// - Parameter defaultPort: for a text without a port; without it that is `nil` too.
    public init?(_ text: some StringProtocol, defaultPort: Int? = nil) {
        let text = Substring(text)
        let isBracketed = text.utf8.first == UInt8(ascii: "[")
        let colon = text.utf8.lastIndex(of: UInt8(ascii: ":"))
        let hasPort = colon.map { isBracketed ? text[..<$0].utf8.last == UInt8(ascii: "]") : true } ?? false
        let name: String
        let port: Int
        if let colon, hasPort {
            let digits = text[text.utf8.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt16(digits), number > 0
            else { return nil }
            (name, port) = (String(text[..<colon]), Int(number))
        } else {
            guard let defaultPort else { return nil }
            (name, port) = (String(text), defaultPort)
        }
        guard isBracketed == (name.utf8.last == UInt8(ascii: "]")) else { return nil }
        let bare = isBracketed ? String(name.dropFirst().dropLast()) : name
        guard !bare.isEmpty, bare.utf8.count <= 253 + 2, bare.utf8.allSatisfy(Self.mayBeInHost) else { return nil }
        self.init(host: bare, port: port)
    }

    /// Whether the host is an address of IPv6.
    public var isIPv6: Bool { host.utf8.contains(UInt8(ascii: ":")) }

    /// As it is written in a URL: `example.org:443`, `[::1]:80`.
    public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// As URLs of a scheme have it: without the port where it is the scheme's own.
    public func authority(isSecure: Bool) -> String {
        guard port == (isSecure ? 443 : 80) else { return description }
        return isIPv6 ? "[\(host)]" : host
    }

    private static func mayBeInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"), UInt8(ascii: ":"): true
        default: false
        }
    }
}
