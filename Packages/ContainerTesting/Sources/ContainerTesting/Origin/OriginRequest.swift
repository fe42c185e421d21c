// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes

/// A request that an origin server has received.
public struct OriginRequest: Sendable, Hashable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path, percent-encoded, without the query.
    public let path: String
    /// The query, without the `?`.
    public let query: String?
    /// All header fields, in order.
    public let headers: HTTPFields
    /// The body; empty in the log, which stores no bodies.
    public let body: Data

    /// Creates a request, for example to compare it with the log.
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
