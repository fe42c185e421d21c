// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A rule for all requests that satisfy each of its conditions. An omitted condition matches all requests.
public struct RouteRule: Sendable, Hashable {
    /// The URL schemes that rules support.
    public enum Scheme: String, Sendable, Hashable, CaseIterable {
        case http
        case https
    }

    /// The action for matching requests; ignored in the deny list.
    public var action: RouteAction
    /// The scheme; any scheme if it is `nil`.
    public var scheme: Scheme?
    /// The host; any host if it is `nil`.
    public var host: HostPattern?
    public var path: PathPattern?
    /// The methods that match; all if empty. Methods are case-sensitive (RFC 9110, section 9.1).
    public var methods: Set<HTTPRequest.Method>
    /// The pages whose requests match. If empty, requests of all pages and of unknown pages match. The page of a
    /// document request is the document itself.
    public var pages: [PagePattern]

    /// Creates a rule.
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

    /// Returns a Boolean value that indicates whether the rule matches a request.
    /// - Parameter page: A closure that returns the page; called only if the rule has page patterns.
    func matches(_ url: RoutedURL, _ method: HTTPRequest.Method, page: () -> RoutedURL?) -> Bool {
        if let scheme, scheme != url.scheme { return false }
        if let host, !url.matches(host) { return false }
        if !methods.isEmpty, !methods.contains(method) { return false }
        if let path, !path.matches(url.path) { return false }
        guard !pages.isEmpty else { return true }
        guard let page = page() else { return false }
        return pages.contains { $0.matches(page) }
    }

    /// Returns a Boolean value that indicates whether the rule may match a request to the origin of a URL.
    func mayMatch(_ url: RoutedURL) -> Bool {
        (scheme.map { $0 == url.scheme } ?? true) && (host.map(url.matches) ?? true)
    }

    /// A Boolean value that indicates whether the rule matches all requests or no requests to an origin.
    var isForWholeOrigins: Bool { path == nil && methods.isEmpty && pages.isEmpty }

    /// The number of automaton positions in its path patterns.
    var positions: Int {
        pages.reduce(path?.positions ?? 0) { $0 + ($1.path?.positions ?? 0) }
    }
}
