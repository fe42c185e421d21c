// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import StrictJSON

/// An ordered list of rules, in which the last matching rule decides, and a deny list, which has priority.
///
/// A request is decided once, by the rules that are current when it starts. A request that matches no rule is
/// intercepted only if another source covers it.
public struct RouteRules: Sendable {
    /// An empty rule set: covered requests are intercepted.
    public static let none = RouteRules()

    /// The rules; later rules override earlier rules.
    public let rules: [RouteRule]
    /// The rules for requests that are never intercepted. Their actions are ignored.
    public let deny: [RouteRule]
    /// A Boolean value that indicates whether interception is enabled; `true` by default.
    public var isEnabled: Bool
    /// A Boolean value that indicates whether any rule replaces or changes responses.
    let haveActions: Bool
    private let index: RouteIndex
    private let denyIndex: RouteIndex

    private init() {
        rules = []
        deny = []
        isEnabled = true
        haveActions = false
        index = RouteIndex([])
        denyIndex = index
    }

    /// Creates a rule set.
    /// - Throws: ``RouteError`` with code `limit`.
    public init(
        _ rules: [RouteRule], deny: [RouteRule] = [], isEnabled: Bool = true, limits: RouteLimits = RouteLimits()
    ) throws {
        guard rules.count + deny.count <= limits.maxRules else {
            throw RouteError(.limit, "\(rules.count + deny.count) rules, limit \(limits.maxRules)")
        }
        var positions = 0
        var bodyBytes = 0
        for (name, list) in [("rules", rules), ("deny", deny)] {
            for (index, rule) in list.enumerated() {
                try rule.check(limits, at: "\(name)[\(index)]")
                bodyBytes += rule.action.bodyBytes
                guard bodyBytes <= limits.maxTotalBodyBytes else {
                    throw RouteError(
                        .limit, "bodies of more than \(limits.maxTotalBodyBytes) bytes", at: "\(name)[\(index)].body")
                }
                positions += rule.positions
                guard positions <= limits.maxTotalPositions else {
                    throw RouteError(
                        .limit, "path patterns of more than \(limits.maxTotalPositions) positions",
                        at: "\(name)[\(index)]")
                }
            }
        }
        self.rules = rules
        self.deny = deny
        self.isEnabled = isEnabled
        haveActions = rules.contains(where: \.action.changesResponse)
        index = RouteIndex(rules)
        denyIndex = RouteIndex(deny)
        let denied = denyIndex.heaviest { deny[$0].positions }
        let ruled = index.heaviest { rules[$0].positions }
        guard denied.weight + ruled.weight <= limits.maxPositions else {
            throw RouteError(
                .limit, "path patterns of more than \(limits.maxPositions) positions for one host",
                at: denied.weight > ruled.weight ? "deny[\(denied.last)]" : "rules[\(ruled.last)]")
        }
    }

    /// Decides on a request. The result depends only on the arguments.
    /// - Parameters:
    ///   - request: The request; its method and its absolute URL are used.
    ///   - page: The URL of the requesting page; for a page's document, the URL of the request itself; `nil` if
    ///     unknown. If it is `nil`, rules with page patterns do not match.
    ///   - isCovered: A Boolean value that indicates whether another source, such as a package, covers the URL;
    ///     evaluated if no rule matches.
    public func decide(
        _ request: HTTPRequest, page: String? = nil, isCovered: @autoclosure () -> Bool = false
    ) -> RouteDecision {
        guard isEnabled else { return RouteDecision(.pass, because: .off) }
        guard !rules.isEmpty || !deny.isEmpty else { return otherwise(isCovered()) }
        guard let url = RoutedURL(request) else { return RouteDecision(.pass, because: .unreadable) }
        // Parsed once, by the first rule that needs it.
        var pages: RoutedURL??
        let asking = {
            if let known = pages { return known }
            let read = page.flatMap(RoutedURL.init)
            pages = .some(read)
            return read
        }
        let host = url.authority.host
        if let index = denyIndex.last(of: host, where: { deny[$0].matches(url, request.method, page: asking) }) {
            return RouteDecision(.pass, because: .denied(index))
        }
        if let index = index.last(of: host, where: { rules[$0].matches(url, request.method, page: asking) }) {
            return RouteDecision(rules[index].action, because: .rule(index))
        }
        return otherwise(isCovered())
    }

    /// Returns a Boolean value that indicates whether at least one request to an origin may be intercepted. A proxy
    /// must decide this before it receives a request.
    /// - Parameters:
    ///   - origin: A request to the origin; its method and path are ignored.
    ///   - isCovered: A Boolean value that indicates whether another source covers a URL of the origin; evaluated if
    ///     no rule decides.
    public func mayIntercept(originOf origin: HTTPRequest, isCovered: @autoclosure () -> Bool) -> Bool {
        guard isEnabled, let url = RoutedURL(origin) else { return false }
        guard !deny.contains(where: { $0.isForWholeOrigins && $0.mayMatch(url) }) else { return false }
        for rule in rules.reversed() where rule.mayMatch(url) {
            if rule.action.intercepts { return true }
            if rule.isForWholeOrigins { return false }
        }
        return isCovered()
    }

    private func otherwise(_ isCovered: Bool) -> RouteDecision {
        isCovered ? RouteDecision(.intercept, because: .covered) : RouteDecision(.pass, because: .uncovered)
    }
}

extension RouteRule {
    fileprivate func check(_ limits: RouteLimits, at place: String) throws {
        do {
            try action.check(limits)
        } catch let error as RouteError {
            throw error.at(place)
        }
        let texts =
            [("host", host?.description), ("path", path?.text)] + methods.map { ("methods", $0.rawValue) }
            + pages.map { ("pages", $0.description) }
        for (field, text) in texts where text?.utf8.count ?? 0 > limits.maxTextLength {
            throw RouteError(.limit, "longer than \(limits.maxTextLength) bytes", at: "\(place).\(field)")
        }
        for (field, count) in [("methods", methods.count), ("pages", pages.count)] where count > limits.maxListCount {
            throw RouteError(.limit, "\(count) items, limit \(limits.maxListCount)", at: "\(place).\(field)")
        }
    }
}

extension RouteRules {
    /// Creates a rule set from JSON in the format of `docs/route-rules.md`. A single error rejects the complete
    /// document.
    /// - Throws: ``RouteError``, which contains the rule and the field.
    public init(json: Data, limits: RouteLimits = RouteLimits()) throws {
        guard json.count <= limits.maxBytes else {
            throw RouteError(.limit, "\(json.count) bytes, limit \(limits.maxBytes)")
        }
        // Foundation also decodes other encodings, but JSON between systems is UTF-8 (RFC 8259, section 8.1).
        guard !json.contains(0) else { throw RouteError(.badDocument, "not UTF-8") }
        let document: RouteDocument
        do {
            let decoder = JSONDecoder()
            if let key = RouteDocument.limitsKey { decoder.userInfo[key] = limits }
            document = try decoder.decode(RouteDocument.self, from: json)
        } catch let error as RouteError {
            throw error
        } catch let error as DecodingError {
            throw RouteError(.badDocument, error.jsonFault.reason, at: error.jsonFault.place, cause: error)
        } catch {
            throw RouteError(.badDocument, "not JSON", cause: error)
        }
        // Decoders accept duplicate names and differ in which member they use.
        var names = JSONScanner.Limits()
        names.allowsEscapedNames = false
        do {
            try json.withUnsafeBytes { try JSONScanner.validate($0, limits: names) }
        } catch let error as JSONError {
            throw RouteError(.badDocument, error.code == .malformed ? "not JSON" : error.message, cause: error)
        }
        try self.init(document.rules, deny: document.deny, isEnabled: document.isEnabled, limits: limits)
    }
}
