// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import SystemSupport
internal import WebSyntax

/// The URL of the folder of a package's files: `https://host[:port]/path/`.
///
/// The URL is normalized: scheme and host are in lower case, a default port is dropped, and hex digits of percent
/// escapes are in upper case. A file's URL is this URL followed by the file's path.
public struct PackageBaseURL: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, `http` or `https`.
    public let scheme: String
    /// The host in lower case. An IPv6 address keeps its brackets.
    public let host: String
    /// The port, or `nil` for the default port of the scheme (80, 443).
    public let port: Int?
    /// The percent-encoded path, which begins and ends with a slash.
    public let path: String

    /// The host, with the port if it is not the default port.
    public var authority: String { port.map { "\(host):\($0)" } ?? host }

    /// The URL as text.
    public var description: String { "\(scheme)://\(authority)\(path)" }

    /// Parses an `http` or `https` URL without user, query and fragment, whose path ends in a slash.
    ///
    /// An empty path is read as `/`. Host names with characters outside ASCII must be in their encoded form (`xn--`).
    /// - Throws: ``PackageError`` with code `badManifest`.
    public init(_ string: String) throws {
        func refuse(_ reason: String) -> PackageError {
            PackageError(.badManifest, "base URL: \(reason)", at: string.printable(limit: 200))
        }
        guard string.utf8.count <= 2_048 else { throw refuse("longer than 2048 bytes") }
        guard string.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw refuse("only printable ASCII is allowed: a host is written as xn--…, a path with % escapes")
        }
        guard let colon = string.firstIndex(of: ":") else { throw refuse("no scheme") }
        let scheme = string[..<colon].asciiLowercased
        guard scheme == "http" || scheme == "https" else { throw refuse("the scheme must be http or https") }
        let rest = string[string.index(after: colon)...]
        guard rest.hasPrefix("//") else { throw refuse("no host") }
        let afterSlashes = rest.dropFirst(2)
        let authorityEnd = afterSlashes.firstIndex { "/?#\\".contains($0) } ?? afterSlashes.endIndex
        let path = afterSlashes[authorityEnd...]
        guard !afterSlashes[..<authorityEnd].contains("@") else { throw refuse("no user and no password is allowed") }
        guard !path.contains("?") else { throw refuse("no query is allowed") }
        guard !path.contains("#") else { throw refuse("no fragment is allowed") }
        guard let (host, port) = Self.authority(afterSlashes[..<authorityEnd]) else {
            throw refuse("the host, or its port, is not valid")
        }
        guard let normalPath = Self.normalise(path: path) else {
            throw refuse("the path must be plain (no dot segments, no bad escapes) and end in a slash")
        }
        self.scheme = scheme
        self.host = host
        self.port = port == (scheme == "https" ? 443 : 80) ? nil : port
        self.path = normalPath
    }

    private static func authority(_ text: Substring) -> (host: String, port: Int?)? {
        guard let authority = Authority(text.utf8), authority.hasConnectablePort else { return nil }
        let name = Substring(authority.host).asciiLowercased
        return isHost(name) ? (name, authority.port) : nil
    }

    /// Returns a Boolean value that indicates whether a host has the lengths of the domain name system (RFC 1035,
    /// section 2.3.4) and no tilde.
    private static func isHost(_ name: String) -> Bool {
        guard (1...253).contains(name.utf8.count) else { return false }
        return name.utf8.first == UInt8(ascii: "[")
            || name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).allSatisfy { label in
                (1...63).contains(label.count) && !label.contains(UInt8(ascii: "~"))
            }
    }

    /// Returns the path with escapes in upper case, or `nil` if it is not a plain folder path.
    private static func normalise(path: Substring) -> String? {
        guard !path.isEmpty else { return "/" }
        guard path.first == "/", path.last == "/" else { return nil }
        var result: [UInt8] = []
        var bytes = path.utf8[...]
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = bytes.popFirst()?.hexDigitValue, let low = bytes.popFirst()?.hexDigitValue else {
                    return nil
                }
                let escaped = high << 4 | low
                // Some readers would resolve an escaped slash, backslash or NUL to another folder. An escaped dot
                // would hide a dot segment from the check below.
                guard ![0x00, 0x2E, 0x2F, 0x5C].contains(escaped) else { return nil }
                PercentEncoding.appendEscape(of: escaped, to: &result)
            case UInt8(ascii: "?"), UInt8(ascii: "#"), UInt8(ascii: "\\"), UInt8(ascii: "\""), UInt8(ascii: "<"),
                UInt8(ascii: ">"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
                UInt8(ascii: "}"):
                return nil
            default: result.append(byte)
            }
        }
        let normal = String(decoding: result, as: UTF8.self)
        let segments = normal.split(separator: "/")
        return segments.contains(".") || segments.contains("..") ? nil : normal
    }
}

extension PackageBaseURL: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

@_spi(Packaging) extension PackageBaseURL {
    /// Returns a Boolean value that indicates whether the URL is equal to another one or lies below it.
    public func lies(under scope: PackageBaseURL) -> Bool {
        scheme == scope.scheme && authority == scope.authority && path.utf8.starts(with: scope.path.utf8)
    }
}
