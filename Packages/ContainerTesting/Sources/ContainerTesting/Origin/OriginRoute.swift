// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A route of an origin server. Routes take precedence over files, and the first matching route responds.
public struct OriginRoute: Sendable {
    /// The method to match. `GET` also matches `HEAD`, whose response is sent without its body.
    public let method: HTTPRequest.Method
    /// The paths to match.
    public let path: OriginPathPattern
    /// A closure that returns the response. An error results in status 500.
    public let answer: @Sendable (OriginRequest) async throws -> OriginResponse

    /// Creates a route for requests with this method and a matching path.
    public init(
        _ method: HTTPRequest.Method, _ path: OriginPathPattern,
        answer: @escaping @Sendable (OriginRequest) async throws -> OriginResponse
    ) {
        self.method = method
        self.path = path
        self.answer = answer
    }

    func matches(_ method: HTTPRequest.Method, _ path: String) -> Bool {
        (method == self.method || (method == .head && self.method == .get)) && self.path.matches(path)
    }
}
