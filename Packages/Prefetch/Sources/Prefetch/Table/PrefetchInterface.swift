// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes

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
