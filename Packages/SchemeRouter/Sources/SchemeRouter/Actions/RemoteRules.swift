// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

// The rules of a remote config document: a JSON array of rules in the format of `docs/route-rules.md`, without the
// action `intercept`. They change only what the host intercepts, and, except for `pass`, only hosts that the app has
// named. They cannot change the fields with which a site restricts its pages.
@_spi(Facade) extension RouteRules {
    /// The maximum number of remote rules.
    public static let maxRemoteRules = 200

    /// Reads remote rules.
    /// - Throws: ``RouteError`` whose location begins with `rules`; `DecodingError`.
    public init(remote decoder: any Decoder) throws {
        var limits = RouteLimits()
        limits.maxRules = Self.maxRemoteRules
        var left = limits.maxRules
        let list = try RouteDocument.rules(decoder.unkeyedContainer(), hasAction: true, limits, left: &left)
        for (index, rule) in list.enumerated() {
            do {
                try RemoteAction.check(rule.action)
            } catch let error as RouteError {
                throw error.at("rules[\(index)]")
            }
        }
        try self.init(list, limits: limits)
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
            for field in response.fields { try check(field.name, at: "fields") }
        case .setHeaders(let fields):
            for name in fields.request.keys { try check(name, at: "request") }
            for name in fields.response.keys { try check(name, at: "response") }
        }
    }

    static func authority(of template: RouteTemplate, at place: String) throws -> String? {
        do {
            return try template.literalAuthority
        } catch let error as RouteError {
            throw error.at(place)
        }
    }

    private static func check(_ name: HTTPField.Name, at place: String) throws {
        let text = name.canonicalName
        guard !forbiddenNames.contains(text), !forbiddenPrefixes.contains(where: text.hasPrefix) else {
            throw RouteError(
                .badRule, "a remote rule cannot set the field \(name.rawName)", at: "\(place).\(name.rawName)")
        }
    }

    private static let forbiddenNames: Set = [
        "authorization", "document-policy", "origin-agent-cluster", "permissions-policy", "referrer-policy",
        "service-worker-allowed", "x-content-type-options", "x-frame-options",
    ]
    private static let forbiddenPrefixes = ["access-control-", "content-security-policy", "cross-origin-"]
}
