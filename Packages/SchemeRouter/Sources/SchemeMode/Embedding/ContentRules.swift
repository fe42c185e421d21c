// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
public import WebSyntax

/// The content rules that protect a custom-scheme page as an engine protects an https page, in WebKit's content rule
/// list format. They apply to requests that do not reach the container, because their hosts are not covered.
///
/// Measured in WebKitGTK 2.50: the engine does not treat a custom-scheme page as an https page, so it does not block
/// mixed content. Its cookie store has no first party, so it sends and stores `SameSite=Strict` and `Lax` cookies of
/// other sites. Navigations of the page itself are handled as over https.
///
/// The rules have these effects:
///
/// - Requests to other sites carry no cookies, independently of `SameSite`, and their responses store none, as in
///   engines that block all third-party cookies. Rules cannot distinguish cookies.
/// - Requests to the page's own site carry cookies if a document of that site makes them. Exceptions are documents of
///   frames and documents without a URL of their own, for which rules cannot determine the initiator.
/// - An https page loads nothing over http; images are upgraded to https (Mixed Content, level 2).
/// - Documents outside the container cannot load resources of the container.
@_spi(Facade) public struct ContentRules: Sendable, Hashable {
    /// The rules as JSON.
    public let json: String

    /// Creates the rules of one view.
    /// - Parameters:
    ///   - names: The custom schemes of pages.
    ///   - sites: The sites whose pages the view may show. In pages of other sites, no request carries cookies.
    public init(names: SchemeNames, sites: [PageSite]) {
        let builder = Builder(names: names)
        let rules = builder.mixedContent + builder.foreignDocuments + builder.cookies(of: sites)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail, because the rules contain only strings.
        json = (try? encoder.encode(rules)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    fileprivate struct Rule: Encodable {
        struct Trigger: Encodable {
            var url: String
            var types: [String]?
            var top: [String]?
            var exceptTop: [String]?
            var frame: [String]?
            var exceptFrame: [String]?

            enum CodingKeys: String, CodingKey {
                case url = "url-filter"
                case types = "resource-type"
                case top = "if-top-url"
                case exceptTop = "unless-top-url"
                case frame = "if-frame-url"
                case exceptFrame = "unless-frame-url"
            }
        }

        struct Action: Encodable {
            var type: String
        }

        var trigger: Trigger
        var action: Action

        init(_ action: String, _ trigger: Trigger) {
            self.trigger = trigger
            self.action = Action(type: action)
        }
    }
}

/// The builder of the rules. An engine evaluates them in order, and `ignore-previous-rules` cancels all rules above
/// it, so the order matters.
private struct Builder {
    typealias Rule = ContentRules.Rule

    let names: SchemeNames

    private static let pictures = ["image", "media"]
    private static let documents = ["document"]
    private static let others = [
        "style-sheet", "script", "font", "raw", "svg-document", "ping", "fetch", "websocket", "other", "csp-report",
    ]

    /// Both custom schemes of the container.
    private var anyName: [String] { [names.secure, names.insecure].map { "^\(Self.escaped($0)):" } }

    var mixedContent: [Rule] {
        let secure = ["^\(Self.escaped(names.secure)):"]
        var rules = mixedContent { url, types in Rule.Trigger(url: url, types: types, top: secure) }
        rules += mixedContent { url, types in Rule.Trigger(url: url, types: types, frame: secure) }
        rules.append(Rule("block", Rule.Trigger(url: "^http:", types: Self.documents, top: secure)))
        return rules
    }

    /// Returns the mixed content rules.
    /// - Parameter trigger: A closure that returns the trigger for a URL pattern and resource types in an https
    ///   document.
    private func mixedContent(_ trigger: (String, [String]) -> Rule.Trigger) -> [Rule] {
        var rules = [Rule("make-https", trigger("^http:", Self.pictures))]
        // These images are not upgraded: an upgrade would keep the port of http, and an address has no certificate.
        for url in ["^http://[^/]*:[0-9]", "^http://[0-9.]*/", "^http://\\["] {
            rules.append(Rule("block", trigger(url, Self.pictures)))
        }
        // Images of this machine are not mixed content.
        for host in ["127\\.[0-9.]*", "([^/:@]*\\.)?localhost", "\\[::1\\]"] {
            rules.append(Rule("ignore-previous-rules", trigger("^http://" + host + "(:[0-9]+)?/", Self.pictures)))
        }
        for url in ["^http:", "^ws:"] { rules.append(Rule("block", trigger(url, Self.others))) }
        return rules
    }

    var foreignDocuments: [Rule] {
        anyName.map { Rule("block", .init(url: $0, types: Self.pictures + Self.others, frame: ["^https?:"])) }
    }

    func cookies(of sites: [PageSite]) -> [Rule] {
        let all = ["^https?:", "^wss?:"]
        var rules = all.map { Rule("block-cookies", .init(url: $0, top: anyName)) }
        for site in sites {
            let host = (site.hasSubdomains ? "([^/:@]*\\.)?" : "") + Self.escaped(site.domain) + "(:[0-9]+)?/"
            guard let scheme = names.name(for: site.scheme) else { continue }
            let name = "^" + Self.escaped(scheme) + "://" + host
            let page = "^" + site.scheme + "://" + host
            let socket = (site.scheme == "https" ? "^wss://" : "^ws://") + host
            for url in [page, socket] {
                rules.append(Rule("ignore-previous-rules", .init(url: url, top: [name])))
                rules.append(Rule("block-cookies", .init(url: url, exceptFrame: [name, page])))
                rules.append(Rule("block-cookies", .init(url: url, types: Self.documents, top: anyName)))
            }
        }
        guard !sites.isEmpty else { return rules }
        // The rules do not apply to views that show a page outside the container.
        return rules + all.map { Rule("ignore-previous-rules", .init(url: $0, exceptTop: anyName)) }
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, letter in
            if ".+[]-".contains(letter), letter != "-" { result.append("\\") }
            result.append(letter)
        }
    }
}

/// The site of a page (HTML, "obtain a site"): a scheme, and a registrable domain with all hosts below it, or a host
/// without a registrable domain.
@_spi(Facade) public struct PageSite: Sendable, Hashable {
    /// The scheme: `https` or `http`.
    public let scheme: String
    /// The registrable domain, or the host if there is none.
    public let domain: String
    /// A Boolean value that indicates whether hosts below ``domain`` belong to the site.
    public let hasSubdomains: Bool

    /// The scheme and the domain, such as `https://shop.example`.
    public var name: String { "\(scheme)://\(domain)" }

    /// Creates the site of a page, or returns `nil` if the URL is not an HTTP URL.
    /// - Parameters:
    ///   - url: The real URL of the page's document.
    ///   - sites: The source of registrable domains.
    public init?(of url: String, sites: any PublicSuffixing) {
        guard let origin = WebOrigin(url: url), ["http", "https"].contains(origin.scheme) else { return nil }
        let host = String(origin.host)
        let domain = sites.registrableDomain(of: host)
        scheme = origin.scheme
        self.domain = domain ?? host
        hasSubdomains = domain != nil
    }

    /// Returns a Boolean value that indicates whether a real URL belongs to the site.
    public func contains(_ url: String) -> Bool {
        guard let origin = WebOrigin(url: url), origin.scheme == scheme else { return false }
        return origin.host == domain || hasSubdomains && origin.host.hasSuffix(".\(domain)")
    }
}
