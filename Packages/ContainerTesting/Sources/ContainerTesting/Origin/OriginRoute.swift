// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A handler that a test adds to an origin. Routes come before files, the first that matches answers.
public struct OriginRoute: Sendable {
    /// The method to match. `GET` matches `HEAD` too, whose answer loses its body on the way.
    public let method: HTTPRequest.Method
    /// The paths to match.
    public let path: OriginPathPattern
    /// Answers. An error that it throws becomes 500.
    public let answer: @Sendable (OriginRequest) async throws -> OriginResponse

    /// Has `answer` answer requests of this method whose path matches.
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
