// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import HTTPTypes
internal import ResourceLoading

/// Keeps the cookies that come from the network for a page, and takes them out of the answer: one that the HTTP cache
/// holds does not set them again, and scripts never see that field.
struct CookieStoringLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let cookies: PageCookies

    init(_ base: any ResourceLoader, cookies: PageCookies) {
        self.base = base
        self.cookies = cookies
    }

    nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let moment = cookies.intake.moment
        guard var response = try await base.load(request) else { return nil }
        guard request.page != nil else { return response }
        if let cookieTarget = cookies.cookieTarget(of: request), cookies.accepts(from: cookieTarget, for: request) {
            let fields = response.head.headerFields
            request.onSetCookie?(fields[values: .setCookie])
            cookies.intake.apply(
                fields[values: .setCookie], clearing: ClearSiteData(fieldValues: fields[values: .clearSiteData]),
                from: cookieTarget.url, cookieTarget.context, begun: moment)
        }
        response.head.headerFields[values: .setCookie] = []
        return response
    }
}

extension HTTPFields {
    fileprivate subscript(values name: HTTPField.Name?) -> [String] {
        name.map { self[values: $0] } ?? []
    }
}

extension HTTPField.Name? {
    fileprivate static let clearSiteData = HTTPField.Name("Clear-Site-Data")
}
