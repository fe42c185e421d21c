// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

/// The origin of a URL (RFC 6454, section 4): the scheme, the host and the port. The default port of the scheme is
/// omitted. Letters of ASCII are in lowercase, and origins are compared byte by byte.
public struct WebOrigin: Hashable, Sendable, CustomStringConvertible {
    /// The scheme, in lower case.
    public let scheme: String
    /// The host and, if it is not the default of the scheme, the port.
    public let authority: String

    /// Creates an origin from components that are already normalized.
    public init(scheme: String, authority: String) {
        self.scheme = scheme
        self.authority = authority
    }

    /// Creates the origin of an absolute hierarchical URL. Fails for other texts, like `HTTPRequest.init(urlText:)`.
    public init?(url: some StringProtocol) {
        let bytes = url.utf8
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8),
            URLScheme.isValid(bytes[..<colon])
        else { return nil }
        let rest = url[bytes.index(colon, offsetBy: 3)...]
        let end = rest.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        self.init(scheme: url[..<colon].asciiLowercased, carried: rest[..<(end ?? rest.endIndex)])
    }

    /// - Parameter authority: the authority of a request, which may contain credentials and the default port.
    fileprivate init?(scheme: String, carried authority: some StringProtocol) {
        var host = Substring(Authority.withoutUser(Substring(authority).utf8))
        let standard = Self.standardPort(of: scheme)
        if host.utf8.count > standard.utf8.count, host.hasSuffix(standard) { host = host.dropLast(standard.utf8.count) }
        guard !host.isEmpty, host != standard else { return nil }
        self.init(scheme: scheme, authority: host.asciiLowercased)
    }

    /// Returns the default port of a scheme with its colon (URL Standard, "Default port"); empty if there is none.
    private static func standardPort(of scheme: String) -> String {
        switch scheme {
        case "https", "wss": ":443"
        case "http", "ws": ":80"
        default: ""
        }
    }

    /// Returns a Boolean value that indicates whether both origins have the same bytes.
    public static func == (one: WebOrigin, other: WebOrigin) -> Bool {
        one.authority.hasSameBytes(as: other.authority) && one.scheme.hasSameBytes(as: other.scheme)
    }

    /// Hashes the bytes of the origin.
    public func hash(into hasher: inout Hasher) {
        scheme.hashBytes(into: &hasher)
        authority.hashBytes(into: &hasher)
    }

    /// An opaque origin, such as a sandboxed frame's. It differs from the origin of every URL.
    public static let opaque = WebOrigin(scheme: "null", authority: "")

    /// The serialized origin, in the format of `Origin` and `Access-Control-Allow-Origin`.
    public var description: String { "\(scheme)://\(authority)" }

    /// The authority without its port.
    public var host: Substring {
        Substring(Authority.split(authority[...].utf8).host)
    }

    /// Returns the host of an absolute URL, without the port.
    public static func host(of url: String) -> Substring? { WebOrigin(url: url)?.host }

    /// A Boolean value that indicates whether the host is an IPv4 or IPv6 address.
    public var hostIsAddress: Bool {
        host.utf8.first == UInt8(ascii: "[") || HostSyntax.endsInNumber(host.utf8)
    }

    /// A Boolean value that indicates whether the origin is potentially trustworthy (Secure Contexts, section 3.1).
    public var isPotentiallyTrustworthy: Bool {
        scheme == "https" || HostSyntax.isLoopback(host.utf8)
    }
}

extension HTTPRequest {
    /// The origin of the request's URL; `nil` if the request has no host.
    public var webOrigin: WebOrigin? {
        guard let scheme, let authority else { return nil }
        return WebOrigin(scheme: scheme, carried: authority)
    }
}
