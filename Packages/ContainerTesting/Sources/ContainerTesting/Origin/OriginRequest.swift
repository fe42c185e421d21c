// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A request that reached an origin.
public struct OriginRequest: Sendable, Hashable {
    /// As it stood in the request.
    public let method: HTTPRequest.Method
    /// As it stood in the request: percent-encoded, without the query.
    public let path: String
    /// As it stood in the request, without the `?`.
    public let query: String?
    /// All header fields, in their order.
    public let headers: HTTPFields
    /// The body; empty in the log, which keeps no bodies.
    public let body: Data

    /// Makes a request, such as one to compare the log with.
    public init(
        method: HTTPRequest.Method, path: String, query: String? = nil, headers: HTTPFields = [:], body: Data = Data()
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }
}
