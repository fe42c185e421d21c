// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

/// The WebKit content rules for the requests that route rules block and that an engine makes itself.
///
/// The engine evaluates content rules in order, and `ignore-previous-rules` cancels those above it. Each route rule has
/// one content rule for each of its filters, so that the last matching rule decides. The list blocks no request that
/// the route rules do not block, except for paths that are too long for rules:
///
/// - A block with `methods`, or with a path that ``URLFilter`` cannot express, is left out.
/// - Another rule with such a condition cancels the blocks above it without the condition.
/// - Rules of remote config come first. Their blocks are left out if the host's rules and the covered hosts do not show
///   that all requests to the host are intercepted.
struct BlockingRules {
    /// The maximum number of content rules. WebKit accepts 150,000.
    static let maxCount = 50_000

    private var rules: [ContentRule] = []
    private var hasBlock = false

    /// The list in WebKit's format, or `nil` if it blocks nothing.
    /// - Throws: ``RouteError`` with code `limit`.
    func json() throws(RouteError) -> String? {
        guard hasBlock else { return nil }
        guard rules.count <= Self.maxCount else {
            throw RouteError(.limit, "\(rules.count) content rules, limit \(Self.maxCount)")
        }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail, because the rules contain only strings and Boolean values.
        return (try? encoder.encode(rules)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Creates the list. A rule set that is off blocks nothing.
    /// - Parameters:
    ///   - host: The rules of the host.
    ///   - remote: The rules of remote config.
    ///   - vetoes: The rule sets that can veto interception.
    ///   - coveredHosts: The hosts to which all requests are intercepted if no rule matches.
    init(host: RouteRules, remote: RouteRules, vetoes: [RouteRules], coveredHosts: [HostPattern]) {
        guard host.isEnabled, vetoes.allSatisfy(\.isEnabled) else { return }
        if remote.isEnabled {
            let intercepted = coveredHosts.map(Optional.some) + host.rules.filter(\.interceptsWholeHosts).map(\.host)
            for rule in remote.rules {
                let isIntercepted = intercepted.contains { pattern in
                    pattern.map { pattern in rule.host.map { pattern.includes($0) } ?? false } ?? true
                }
                if !rule.action.blocks || isIntercepted { add(rule, blocks: rule.action.blocks) }
            }
        }
        var blocks: [RouteRule] = []
        for rule in host.rules {
            if rule.action.blocks { blocks.append(rule) }
            // Such a rule permits the blocks of remote rules.
            if rule.action == .intercept, !blocks.contains(where: { $0.sharesHosts(with: rule) }) { continue }
            add(rule, blocks: rule.action.blocks)
        }
        for set in vetoes { for rule in set.rules where rule.action == .pass { add(rule, blocks: false) } }
        for set in vetoes + [host] { for rule in set.deny { add(rule, blocks: false) } }
    }

    private mutating func add(_ rule: RouteRule, blocks: Bool) {
        // A list begins with a block: nothing above could be cancelled.
        guard blocks || hasBlock else { return }
        let urls = URLFilter.filters(scheme: rule.scheme, host: rule.host, path: rule.path)
        let pages = rule.pages.reduce([] as [String]?) { all, page in
            guard let all, let more = URLFilter.filters(scheme: page.scheme, host: page.host, path: page.path) else {
                return nil
            }
            return all + more
        }
        if blocks, !rule.methods.isEmpty || urls == nil || pages == nil { return }
        guard rule.pages.isEmpty || pages?.isEmpty != true else { return }
        let widest = URLFilter.filters(scheme: rule.scheme, host: rule.host, path: nil) ?? []
        for url in urls ?? widest {
            rules.append(ContentRule(blocks: blocks, url: url, pages: rule.pages.isEmpty ? nil : pages))
        }
        hasBlock = hasBlock || blocks && urls?.isEmpty == false
    }
}

extension RouteAction {
    fileprivate var blocks: Bool { if case .block = self { true } else { false } }
}

extension RouteRule {
    /// A Boolean value that indicates whether the rule intercepts all requests to its hosts.
    fileprivate var interceptsWholeHosts: Bool { action == .intercept && scheme == nil && isForWholeOrigins }

    /// Returns a Boolean value that indicates whether the rules may have a host in common.
    fileprivate func sharesHosts(with other: RouteRule) -> Bool {
        guard let host, let others = other.host else { return true }
        if let port = host.port, let otherPort = others.port, port != otherPort { return false }
        let (name, otherName) = (host.rootless, others.rootless)
        return name == otherName || host.matchesBelow && otherName.hasSuffix(".\(name)")
            || others.matchesBelow && name.hasSuffix(".\(otherName)")
    }
}

/// One rule of a content rule list.
private struct ContentRule: Encodable {
    private struct Trigger: Encodable {
        let url: String
        let isCaseSensitive = true
        let pages: [String]?
        let arePagesCaseSensitive: Bool?

        enum CodingKeys: String, CodingKey {
            case url = "url-filter"
            case isCaseSensitive = "url-filter-is-case-sensitive"
            case pages = "if-top-url"
            case arePagesCaseSensitive = "top-url-filter-is-case-sensitive"
        }
    }

    private let trigger: Trigger
    private let action: [String: String]

    init(blocks: Bool, url: String, pages: [String]?) {
        trigger = Trigger(url: url, pages: pages, arePagesCaseSensitive: pages.map { _ in true })
        action = ["type": blocks ? "block" : "ignore-previous-rules"]
    }
}
