// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import WebSyntax

// The rules of a remote config document: a JSON array of rules in the format of `docs/route-rules.md`, without the
// action `intercept`. They change only what the host intercepts, and, except for `pass`, only hosts that the app has
// named. They cannot change the fields with which a site restricts its pages, and cannot make a response storable, so
// that no effect outlives the document.
@_spi(Facade) extension RouteRules {
    /// The maximum number of remote rules.
    public static let maxRemoteRules = 200

    /// Reads remote rules. Rules that no app can accept are errors: those without a host, except for `pass`, and
    /// redirects whose authority is neither literal nor that of the request.
    /// - Throws: ``RouteError`` whose location begins with `rules`; `DecodingError`.
    public init(remote decoder: any Decoder) throws {
        var limits = RouteLimits()
        limits.maxRules = Self.maxRemoteRules
        var left = limits.maxRules
        let list = try RouteDocument.rules(decoder.unkeyedContainer(), hasAction: true, limits, left: &left)
        for (index, rule) in list.enumerated() {
            do {
                try RemoteAction.check(rule.action)
                guard rule.action == .pass || rule.host != nil else {
                    throw RouteError(.badRule, "a remote rule needs a host", at: "host")
                }
                if case .redirect(let template, _) = rule.action {
                    _ = try RemoteAction.authority(of: template, at: "to")
                }
            } catch let error as RouteError {
                throw error.at("rules[\(index)]")
            }
        }
        try self.init(list, limits: limits)
    }

    /// The hosts that the app must name so that it accepts these rules as remote rules, sorted.
    public var hostsToName: [String] {
        let hosts = rules.filter { $0.action != .pass }.flatMap { rule in
            guard case .redirect(let template, _) = rule.action else { return [rule.host?.description] }
            return [rule.host?.description, try? template.literalAuthority]
        }
        return Set(hosts.compactMap(\.self)).sorted()
    }

    /// Checks that remote rules change only the hosts that the app has named, and redirect only to them or to the host
    /// of the request. Rules with the action `pass` may have any host.
    /// - Parameter hosts: The hosts that the app has named.
    /// - Throws: ``RouteError`` with code `badRule`.
    public func checkRemote(within hosts: [HostPattern]) throws {
        for (index, rule) in rules.enumerated() where rule.action != .pass {
            guard let host = rule.host, hosts.contains(where: { $0.includes(host) }) else {
                throw RouteError(
                    .badRule, "the app does not name the host for remote rules", at: "rules[\(index)].host")
            }
            guard case .redirect(let template, _) = rule.action else { continue }
            guard let authority = try RemoteAction.authority(of: template, at: "rules[\(index)].to") else { continue }
            let port = template.description.hasPrefix("http:") ? 80 : 443
            guard hosts.contains(where: { $0.matches(authority, defaultPort: port) }) else {
                throw RouteError(
                    .badRule, "the app does not name the redirect's host for remote rules", at: "rules[\(index)].to")
            }
        }
    }
}

/// The restrictions of the actions of remote rules.
private enum RemoteAction {
    static func check(_ action: RouteAction) throws {
        switch action {
        case .intercept: throw RouteError(.badRule, "a remote rule cannot intercept", at: "action")
        case .pass, .block, .redirect: break
        case .respond(let response):
            for field in response.fields { try check(field.name, field.value, at: "fields") }
        case .setHeaders(let fields):
            for (name, value) in fields.request { try check(name, value, at: "request") }
            for (name, value) in fields.response { try check(name, value, at: "response") }
        }
    }

    static func authority(of template: RouteTemplate, at place: String) throws -> String? {
        do {
            return try template.literalAuthority
        } catch let error as RouteError {
            throw error.at(place)
        }
    }

    private static func check(_ name: HTTPField.Name, _ value: String?, at place: String) throws {
        let text = name.canonicalName
        if text == "cache-control", let value, preventsStorage(value) { return }
        guard !forbiddenNames.contains(text), !forbiddenPrefixes.contains(where: text.hasPrefix) else {
            throw RouteError(
                .badRule, "a remote rule cannot set the field \(name.rawName)", at: "\(place).\(name.rawName)")
        }
    }

    /// Returns a Boolean value that indicates whether the directives of `Cache-Control` are `no-store` or `no-cache`
    /// only (RFC 9111, section 5.2.2).
    private static func preventsStorage(_ value: String) -> Bool {
        value.split(separator: ",", omittingEmptySubsequences: false).allSatisfy { directive in
            var directive = directive.drop { $0 == " " || $0 == "\t" }
            while let last = directive.last, last == " " || last == "\t" { directive.removeLast() }
            return ["no-store", "no-cache"].contains(directive.asciiLowercased)
        }
    }

    private static let forbiddenNames: Set = [
        "age", "authorization", "cache-control", "document-policy", "expires", "origin-agent-cluster",
        "permissions-policy", "referrer-policy", "service-worker-allowed", "www-authenticate",
        "x-content-type-options", "x-frame-options",
    ]
    private static let forbiddenPrefixes = ["access-control-", "content-security-policy", "cross-origin-"]
}
