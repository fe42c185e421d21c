// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes
internal import WebSyntax

/// An observed request of a page. Parts that could not be observed are `nil`.
package struct ObservedRequest: Sendable {
    /// The method, the real URL and the header fields, as sent.
    package var request: HTTPRequest
    /// The body as sent, empty without a body, or `nil` if it was not completely recorded.
    package var body: Data?
    /// The head of the response, or `nil` without a response.
    package var response: HTTPResponse?

    /// Creates an observed request.
    package init(_ request: HTTPRequest, body: Data? = Data(), response: HTTPResponse?) {
        self.request = request
        self.body = body
        self.response = response
    }
}

extension ObservedRequest {
    /// The media type of the response in lower case without parameters, or `nil` if there is none.
    var mediaType: String? {
        response?.headerFields[.contentType].map { Self.essence(of: $0) }
    }

    static func essence(of contentType: String) -> String {
        MediaType.essence(of: contentType)
    }

    static func isJSON(_ essence: String) -> Bool {
        essence == "application/json" || essence == "text/json" || essence.hasSuffix("+json")
    }

    /// The request's destination (Fetch standard) as reported by the engine, or `nil`.
    var destination: String? { field("sec-fetch-dest") }

    var fetchMode: String? { field("sec-fetch-mode") }

    private func field(_ name: String) -> String? {
        HTTPField.Name(name).flatMap { request.headerFields[$0]?.lowercased() }
    }
}
