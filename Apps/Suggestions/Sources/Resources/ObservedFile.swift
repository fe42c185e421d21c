// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes

/// A request that a page made, and the bytes that it got, as far as who watched it could see them.
package struct ObservedFile: Sendable {
    /// Method, real URL and header fields, as they were sent.
    package var request: HTTPRequest
    /// The head of the answer; `nil` where none came.
    package var response: HTTPResponse?
    /// The answer's body without its codings; `nil` where it was not seen whole.
    package var bytes: Data?

    /// Notes a request.
    package init(_ request: HTTPRequest, response: HTTPResponse?, bytes: Data?) {
        self.request = request
        self.response = response
        self.bytes = bytes
    }
}
