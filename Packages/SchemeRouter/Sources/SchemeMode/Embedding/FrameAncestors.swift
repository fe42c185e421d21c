// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebSyntax

/// The `frame-ancestors` directive of one policy (Content Security Policy Level 3, section 6.4.2).
///
/// Origins are real origins, not custom-scheme origins.
struct FrameAncestors: Sendable, Hashable {
    private let sources: [Substring]

    /// Returns the directives of a `Content-Security-Policy` value, at most one for each policy in it.
    static func directives(in value: String) -> [FrameAncestors] {
        // The separators are bytes: only ASCII whitespace separates words (section 2.2.1).
        value.utf8.split(separator: UInt8(ascii: ",")).compactMap { policy in
            for directive in policy.split(separator: UInt8(ascii: ";")) {
                let words = directive.split(whereSeparator: \.isASCIIWhitespace)
                // Of several directives with one name, the first one counts (section 2.2.1).
                if words.first?.equalsIgnoringCase("frame-ancestors") == true {
                    return FrameAncestors(sources: words.dropFirst().map { Substring($0) })
                }
            }
            return nil
        }
    }

    private init(sources: [Substring]) {
        self.sources = sources
    }

    /// Returns a Boolean value that indicates whether the directive permits an origin as the ancestor of a document.
    func allows(_ ancestor: WebOrigin, around document: WebOrigin) -> Bool {
        guard ancestor != .opaque else { return false }
        return sources.contains { matches($0, ancestor, document) }
    }

    /// Returns a Boolean value that indicates whether a source expression matches (section 6.7.2.8). The ancestor's
    /// URL is its origin with the path `/`.
    private func matches(_ source: Substring, _ ancestor: WebOrigin, _ document: WebOrigin) -> Bool {
        let text = source.asciiLowercased
        switch text {
        case "'none'": return false
        case "'self'":
            return ancestor == document
                || ancestor.host == document.host && ancestor.scheme == "https" && document.scheme == "http"
                    && ancestor.port == nil && document.port == nil
        case "*": return ["http", "https"].contains(ancestor.scheme) || ancestor.scheme == document.scheme
        default: break
        }
        guard !text.hasPrefix("'") else { return false }
        if text.hasSuffix(":"), !text.contains("/"), !text.contains(".") {
            return Self.schemeMatches(text.dropLast(), ancestor.scheme)
        }
        var rest = Substring(text)
        var scheme = Substring(document.scheme)
        if let range = text.firstRange(of: "://") {
            scheme = text[..<range.lowerBound]
            rest = text[range.upperBound...]
        }
        guard Self.schemeMatches(scheme, ancestor.scheme) else { return false }
        let authority = rest.prefix { $0 != "/" }
        guard ["", "/"].contains(rest.dropFirst(authority.count)) else { return false }
        let host = authority.hasPrefix("[") ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        return Self.hostMatches(host, ancestor.host) && portMatches(authority.dropFirst(host.count), ancestor)
    }

    /// Returns a Boolean value that indicates whether a scheme matches (section 6.7.2.9). `http` also matches `https`.
    private static func schemeMatches(_ source: some StringProtocol, _ scheme: String) -> Bool {
        source == scheme || source == "http" && scheme == "https"
    }

    /// Returns a Boolean value that indicates whether a host matches (section 6.7.2.10).
    private static func hostMatches(_ source: Substring, _ host: Substring) -> Bool {
        if source == "*" { return true }
        guard source.hasPrefix("*.") else { return source == host }
        return host.hasSuffix(source.dropFirst())
    }

    /// Returns a Boolean value that indicates whether a port matches (section 6.7.2.11).
    /// - Parameters:
    ///   - source: An empty string, or a colon and a port.
    ///   - ancestor: The origin of the ancestor.
    private func portMatches(_ source: Substring, _ ancestor: WebOrigin) -> Bool {
        guard let port = source.isEmpty ? nil : source.dropFirst() else { return ancestor.port == nil }
        let actual = ancestor.port ?? (ancestor.scheme == "http" ? "80" : "443")
        return port == "*" || port == actual || port == "80" && actual == "443"
    }
}

extension WebOrigin {
    /// The port, or `nil` for the default port of the scheme.
    fileprivate var port: Substring? {
        let rest = authority.dropFirst(host.count)
        return rest.isEmpty ? nil : rest.dropFirst()
    }
}
