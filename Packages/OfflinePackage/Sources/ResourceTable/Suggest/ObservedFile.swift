// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A request that a page made, and the bytes that it got, as far as who watched it could see them.
public struct ObservedFile: Sendable {
    /// Method, real URL and header fields, as they were sent.
    public var request: HTTPRequest
    /// The head of the answer; `nil` where none came.
    public var response: HTTPResponse?
    /// The answer's body without its codings; `nil` where it was not seen whole.
    public var bytes: Data?

    /// Notes a request.
    public init(_ request: HTTPRequest, response: HTTPResponse?, bytes: Data?) {
        self.request = request
        self.response = response
        self.bytes = bytes
    }
}
