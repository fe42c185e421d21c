// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes

/// One interface of a page: the request to send when the page is opened, and the rules for the page's parameters.
package struct PrefetchInterface: Sendable {
    package let api: PrefetchURL
    /// The method, in upper case.
    package let method: HTTPRequest.Method
    /// A Boolean value that indicates whether the page's parameters are added to the URL's query.
    package let hasURLParameters: Bool
    /// A Boolean value that indicates whether the page's parameters are added to the body.
    package let hasBodyParameters: Bool
    /// The configured body. It is an object if parameters are added to it.
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

    /// Returns the request for a page with these parameters.
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
