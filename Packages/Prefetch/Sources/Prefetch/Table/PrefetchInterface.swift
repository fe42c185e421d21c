// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes

/// One interface of a page: what is asked for when the page is opened, and what the page's parameters do to it.
public struct PrefetchInterface: Sendable {
    package let api: PrefetchURL
    /// In upper case.
    package let method: HTTPRequest.Method
    /// Whether the page's parameters join the URL's query.
    package let hasURLParameters: Bool
    /// Whether the page's parameters join the body.
    package let hasBodyParameters: Bool
    /// The configured body. An object, where parameters join it.
    package let body: JSONValue?

    package init(
        api: PrefetchURL, method: HTTPRequest.Method, hasURLParameters: Bool, hasBodyParameters: Bool, body: JSONValue?
    ) {
        self.api = api
        self.method = method
        self.hasURLParameters = hasURLParameters
        self.hasBodyParameters = hasBodyParameters
        self.body = body
    }

    /// The request for a page with these parameters.
    package func request(with parameters: PageParameters) -> PrefetchRequest {
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
