// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
