// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The template of a redirect's URL, such as `https://new.example{path}{query}`.
///
/// The placeholders are parts of the request's URL: `{scheme}`, `{authority}` (the host and its port), `{host}`,
/// `{path}` (begins with a slash) and `{query}` (begins with a question mark, or is empty). They are inserted as they
/// are, without escaping. A template begins with `http://`, `https://` or `{scheme}://`, and only `{host}` and
/// `{authority}` may stand in its authority, so that a request cannot select another host.
public struct RouteTemplate: Sendable, Hashable, CustomStringConvertible {
    private enum Part: Sendable, Hashable {
        case text(String)
        case placeholder(Placeholder)
    }

    private enum Placeholder: String, Sendable, CaseIterable {
        case scheme, authority, host, path, query
    }

    /// The maximum number of placeholders.
    private static let placeholderLimit = 8

    /// The text of the template.
    public let description: String
    private let parts: [Part]

    /// Parses a template.
    /// - Throws: ``RouteError`` with code `badRule`.
    public init(_ text: String) throws {
        description = text
        parts = try Self.parts(of: text)
        let isURL = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") }
        guard isURL, let authority = Self.authority(in: text) else {
            throw RouteError(.badRule, "not the template of an http or https URL: '\(text)'")
        }
        guard parts.count(where: { if case .placeholder = $0 { true } else { false } }) <= Self.placeholderLimit else {
            throw RouteError(.badRule, "more than \(Self.placeholderLimit) placeholders: '\(text)'")
        }
        for placeholder in ["{scheme}", "{path}", "{query}"] where authority.contains(placeholder) {
            throw RouteError(.badRule, "\(placeholder) in the authority of a URL: '\(text)'")
        }
        let sample = HTTPRequest(method: .get, scheme: "https", authority: "a.example", path: "/a?a")
        guard Self.origin(of: makeURL(for: sample)) != nil else {
            throw RouteError(.badRule, "not the template of an http or https URL: '\(text)'")
        }
    }

    /// Returns the literal authority of a template, or `nil` if it is that of the request.
    /// - Throws: ``RouteError`` with code `badRule` if the authority has a placeholder and other text.
    var literalAuthority: String? {
        get throws {
            let authority = Self.authority(in: description) ?? ""
            guard authority.contains("{") else { return String(authority) }
            guard ["{host}", "{authority}"].contains(authority) else {
                throw RouteError(.badRule, "an authority of several parts: '\(authority)'")
            }
            return nil
        }
    }

    /// Returns the URL to which a request is redirected: absolute, with the scheme `http` or `https` and without a
    /// user.
    /// - Throws: `ResourceError` with code `invalidRequest` if the URL is not valid, `blocked` if it leads from https
    ///   to http, and `tooManyRedirects` if it is the URL of the request.
    func url(for request: HTTPRequest) throws -> String {
        let url = makeURL(for: request)
        guard let (origin, target) = Self.origin(of: url) else {
            throw ResourceError(.invalidRequest, "redirect to an unsupported URL", at: String(url.prefix(2_048)))
        }
        guard request.scheme != "https" || origin.scheme == "https" else {
            throw ResourceError(.blocked, "redirect from https to http", at: String(url.prefix(2_048)))
        }
        guard origin != request.webOrigin || Self.path(of: target) != Self.path(of: request) else {
            throw ResourceError(
                .tooManyRedirects, "the rule redirects the URL to itself", at: String(url.prefix(2_048)))
        }
        return url
    }

    private func makeURL(for request: HTTPRequest) -> String {
        let target = Self.path(of: request)
        let end = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let authority = request.authority ?? ""
        return parts.reduce(into: "") { url, part in
            switch part {
            case .text(let text): url += text
            case .placeholder(.scheme): url += request.scheme ?? ""
            case .placeholder(.authority): url += authority
            case .placeholder(.host): url += Substring(Authority.split(authority[...].utf8).host)
            case .placeholder(.path): url += target[..<end]
            case .placeholder(.query): url += target[end...]
            }
        }
    }

    /// Returns the path and the query of a request, which begin with a slash.
    private static func path(of request: HTTPRequest) -> String {
        let path = request.path ?? "/"
        return path.hasPrefix("/") ? path : "/" + path
    }

    /// Returns the origin and the request of a URL; `nil` if it is not an `http` or `https` URL with a valid host and
    /// without a user.
    private static func origin(of url: String) -> (WebOrigin, HTTPRequest)? {
        guard let request = HTTPRequest(urlText: url), let origin = request.webOrigin,
            ["http", "https"].contains(origin.scheme), HostAuthority(request.authority ?? "") != nil
        else { return nil }
        return (origin, request)
    }

    /// Returns the authority in a template; `nil` if the template has none.
    private static func authority(in text: String) -> Substring? {
        guard let scheme = ["http://", "https://", "{scheme}://"].first(where: text.hasPrefix) else { return nil }
        let rest = text.dropFirst(scheme.count)
        let ends = ["/", "?", "#", "{path}", "{query}"].compactMap { rest.firstRange(of: $0)?.lowerBound }
        let authority = rest[..<(ends.min() ?? rest.endIndex)]
        return authority.isEmpty || authority.contains("@") ? nil : authority
    }

    private static func parts(of text: String) throws -> [Part] {
        var parts: [Part] = []
        var rest = text[...]
        while let open = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            guard rest[open] == "{", let close = rest[open...].firstIndex(of: "}"),
                let placeholder = Placeholder(rawValue: String(rest[rest.index(after: open)..<close]))
            else {
                throw RouteError(
                    .badRule, "a placeholder is {scheme}, {authority}, {host}, {path} or {query}: '\(text)'")
            }
            parts += [.text(String(rest[..<open])), .placeholder(placeholder)]
            rest = rest[rest.index(after: close)...]
        }
        return parts + [.text(String(rest))]
    }
}
