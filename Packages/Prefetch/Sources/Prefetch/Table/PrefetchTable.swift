// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The requests that each page will send, so that they can be sent in advance.
public struct PrefetchTable: Sendable {
    /// The version, as the server writes it.
    public let version: String
    /// The interfaces by the page's URL without its query. Interfaces of several entries for one page are concatenated.
    let pages: [String: [PrefetchInterface]]
    private let limits: PrefetchLimits

    /// The number of pages.
    public var pageCount: Int { pages.count }

    init(version: String, pages: [String: [PrefetchInterface]], limits: PrefetchLimits) {
        self.version = version
        self.pages = pages
        self.limits = limits
    }

    /// Returns the requests for a page that is opened, in the table's order and without duplicates. The result is empty
    /// if the table does not contain the page. The look-up ignores the query and fragment of the page.
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
