// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// What a rule is about: all requests that fit each of its parts. A part that is left out fits all.
public struct RouteRule: Sendable, Hashable {
    /// The schemes of the web.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http
        case https
    }

    /// What becomes of the requests. In the deny list it does not count.
    public var action: RouteAction
    public var scheme: Scheme?
    public var host: HostPattern?
    public var path: PathPattern?
    /// The request's method is one of them; all where it is empty. Their case counts (RFC 9110, section 9.1).
    public var methods: Set<HTTPRequest.Method>
    /// The page that asks is one of them; all, and none at all, where it is empty. A document asks for itself.
    public var pages: [PagePattern]

    public init(
        _ action: RouteAction, scheme: Scheme? = nil, host: HostPattern? = nil, path: PathPattern? = nil,
        methods: Set<HTTPRequest.Method> = [], pages: [PagePattern] = []
    ) {
        self.action = action
        self.scheme = scheme
        self.host = host
        self.path = path
        self.methods = methods
        self.pages = pages
    }

    /// - Parameter page: read only where the rule asks for it.
    func matches(_ url: RoutedURL, _ method: HTTPRequest.Method, page: () -> RoutedURL?) -> Bool {
        if let scheme, scheme != url.scheme { return false }
        if let host, !url.matches(host) { return false }
        if !methods.isEmpty, !methods.contains(method) { return false }
        if let path, !path.matches(url.path) { return false }
        guard !pages.isEmpty else { return true }
        guard let page = page() else { return false }
        return pages.contains { $0.matches(page) }
    }

    /// Whether it fits some request to the origin of a URL.
    func mayMatch(_ url: RoutedURL) -> Bool {
        (scheme.map { $0 == url.scheme } ?? true) && (host.map(url.matches) ?? true)
    }

    /// Whether it fits all requests to an origin, where it fits one.
    var isForWholeOrigins: Bool { path == nil && methods.isEmpty && pages.isEmpty }

    /// What its path patterns may cost, in positions.
    var positions: Int {
        pages.reduce(path?.positions ?? 0) { $0 + ($1.path?.positions ?? 0) }
    }
}
