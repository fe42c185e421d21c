// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The origin of a URL (RFC 6454, section 4): scheme, and host and port as a request carries them, without a user and
/// without the scheme's own port.
struct WebOrigin: Equatable, CustomStringConvertible {
    let scheme: String
    let authority: String

    /// An origin that is no other's, not even its own, such as a sandboxed frame's.
    static let opaque = WebOrigin(scheme: "null", authority: "")

    /// The form of `Origin` and `Access-Control-Allow-Origin`.
    var description: String { "\(scheme)://\(authority)" }

    /// The authority without its port.
    var host: Substring {
        if authority.hasPrefix("[") { return authority.prefix { $0 != "]" } + "]" }
        return authority.prefix { $0 != ":" }
    }

    /// The host of an absolute URL, without a port.
    static func host(of url: String) -> Substring? { HTTPRequest(urlText: url)?.webOrigin?.host }

    /// Whether the host is an address of IPv4 or IPv6.
    var hostIsAddress: Bool {
        host.hasPrefix("[") || host.split(separator: ".").last.map { $0.allSatisfy(\.isNumber) } ?? false
    }

    /// Whether nobody on the way can have changed what comes from there (Secure Contexts, section 3.1).
    var isPotentiallyTrustworthy: Bool {
        scheme == "https" || host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || hostIsAddress && host.hasPrefix("127.")
    }
}

extension HTTPRequest {
    /// The origin that the request goes to; `nil` where it has no host.
    var webOrigin: WebOrigin? {
        guard let scheme, let authority else { return nil }
        var host = authority.lowercased()[...]
        if let at = host.utf8.lastIndex(of: UInt8(ascii: "@")) { host = host[host.utf8.index(after: at)...] }
        let standard = scheme == "http" ? ":80" : ":443"
        if host.hasSuffix(standard) { host = host.dropLast(standard.count) }
        return host.isEmpty ? nil : WebOrigin(scheme: scheme, authority: String(host))
    }
}

extension StringProtocol {
    /// Without spaces and tabs at both ends.
    func trimmingBlanks() -> SubSequence {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? start.prefix(0)
    }
}
