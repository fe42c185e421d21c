// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

/// Which requests each page will make, so that they can be made before it asks.
public struct PrefetchTable: Sendable {
    /// As the server writes it.
    public let version: String
    /// By the page's URL without its query. Interfaces of entries for one page stand behind each other.
    let pages: [String: [PrefetchInterface]]
    private let limits: PrefetchLimits

    init(version: String, pages: [String: [PrefetchInterface]], limits: PrefetchLimits) {
        self.version = version
        self.pages = pages
        self.limits = limits
    }

    /// How many pages it names.
    public var pageCount: Int { pages.count }

    /// What to ask for when a page is opened, in the table's order, each request once. None where the table does not
    /// name the page, whose query and fragment do not count for that.
    /// - Parameter page: the page's absolute URL, whose query holds the parameters.
    public func requests(for page: String) -> [PrefetchRequest] {
        guard page.utf8.count <= limits.maxURLLength, let url = PrefetchURL(page), let interfaces = pages[url.page]
        else { return [] }
        let parameters = PageParameters(query: url.query)
        var known: Set<RequestIdentity> = []
        return interfaces.map { $0.request(with: parameters) }.filter { request in
            request.url.utf8.count <= limits.maxURLLength && known.insert(request.identity).inserted
        }
    }
}

/// One interface of a page: what is asked for when the page is opened, and what the page's parameters do to it.
struct PrefetchInterface: Sendable {
    let api: PrefetchURL
    /// In upper case.
    let method: HTTPRequest.Method
    /// Whether the page's parameters join the URL's query.
    let hasURLParameters: Bool
    /// Whether the page's parameters join the body.
    let hasBodyParameters: Bool
    /// The configured body. An object, where parameters join it.
    let body: JSONValue?

    /// The request for a page with these parameters.
    func request(with parameters: PageParameters) -> PrefetchRequest {
        var url = api
        if hasURLParameters { url.query = parameters.following(api.query) }
        var body = body
        if hasBodyParameters {
            guard case .object(let members) = body ?? .object([]) else {
                return PrefetchRequest(method, url, body: body)
            }
            body = .object(parameters.following(members))
        }
        return PrefetchRequest(method, url, body: body)
    }
}

/// What a prefetch table may ask for.
public struct PrefetchLimits: Sendable, Hashable {
    /// The most bytes of a table. Default: 1 MiB.
    public var maxBytes = 1 << 20
    /// The most pages. Default: 1,000.
    public var maxPages = 1000
    /// The most interfaces of one page, and so the most requests of one open. Default: 32.
    public var maxInterfaces = 32
    /// The most UTF-8 bytes of a URL, of the table, of a page that is opened, and of a request. Default: 8,192.
    public var maxURLLength = 8192
    /// The most bytes of a configured body. Default: 64 KiB.
    public var maxBodyBytes = 64 << 10
    /// The most UTF-8 bytes of a version or a method. Default: 64.
    public var maxTextLength = 64
    /// The deepest that values may nest, those that are ignored included. Default: 32.
    public var maxDepth = 32

    public init() {}

    public static let `default` = PrefetchLimits()
}
