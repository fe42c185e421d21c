// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes

/// An observed request of a page and the received bytes. Parts that could not be observed are `nil`.
package struct ObservedFile: Sendable {
    /// The method, the real URL and the header fields, as sent.
    package var request: HTTPRequest
    /// The head of the response, or `nil` without a response.
    package var response: HTTPResponse?
    /// The response body without content codings, or `nil` if it was not completely recorded.
    package var bytes: Data?

    /// Creates an observed file.
    package init(_ request: HTTPRequest, response: HTTPResponse?, bytes: Data?) {
        self.request = request
        self.response = response
        self.bytes = bytes
    }
}
