// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The URLs of one origin whose GET requests a route rule redirects, answers or changes. They may include URLs for
/// which another rule decides.
@_spi(Facade) public struct ActionURLs: Sendable, Hashable {
    /// The URLs of fixed paths, without queries.
    public private(set) var files: [String] = []
    /// The beginnings of URLs, for rules about everything below a path.
    public private(set) var beginnings: [String] = []

    fileprivate mutating func add(_ rule: RouteRule, at origin: WebOrigin) {
        guard rule.action.changesResponse, rule.action != .block(nil),
            rule.methods.isEmpty || rule.methods.contains(.get)
        else { return }
        guard let path = rule.path else { return beginnings.append("\(origin)/") }
        guard let literal = path.literal else { return }
        let url = "\(origin)\(literal.text)"
        if literal.isWhole { files.append(url) } else { beginnings.append(url) }
    }
}

extension ActiveRules {
    /// Returns the URLs of an origin for whose GET requests the current rules may have an action, except for a `block`
    /// without a status. Rules are left out if their paths are neither fixed nor everything below a path.
    /// - Parameter url: a URL of the origin.
    @_spi(Facade) public func actionURLs(ofOriginOf url: String) -> ActionURLs {
        var urls = ActionURLs()
        guard isOn, haveActions, let origin = WebOrigin(url: url), let place = RoutedURL("\(origin)/") else {
            return urls
        }
        for rule in rules.rules + remoteRules.rules where rule.mayMatch(place) { urls.add(rule, at: origin) }
        return urls
    }
}
