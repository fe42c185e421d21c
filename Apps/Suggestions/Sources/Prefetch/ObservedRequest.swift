// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes
internal import WebSyntax

/// A request that a page made, as far as who watched it could see it.
package struct ObservedRequest: Sendable {
    /// Method, real URL and header fields, as they were sent.
    package var request: HTTPRequest
    /// The body as it was sent, empty where there was none; `nil` where it was not seen whole.
    package var body: Data?
    /// The head of the answer; `nil` where none came.
    package var response: HTTPResponse?

    /// Notes a request.
    package init(_ request: HTTPRequest, body: Data? = Data(), response: HTTPResponse?) {
        self.request = request
        self.body = body
        self.response = response
    }
}

extension ObservedRequest {
    /// The answer's media type, in lower case and without its parameters; `nil` where it has none.
    var mediaType: String? {
        response?.headerFields[.contentType].map { Self.essence(of: $0) }
    }

    static func essence(of contentType: String) -> String {
        MediaType.essence(of: contentType)
    }

    static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// What the Fetch standard calls its destination, as the engine told it; `nil` where it did not.
    var destination: String? { field("sec-fetch-dest") }

    var fetchMode: String? { field("sec-fetch-mode") }

    private func field(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0]?.lowercased() }
    }
}
