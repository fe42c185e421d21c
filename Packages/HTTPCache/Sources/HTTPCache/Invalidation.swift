// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import ResourceLoading

/// What an unsafe request makes wrong (RFC 9111, section 4.4).
enum Invalidation {
    /// The URLs whose stored responses must go: the target, and what `Location` and `Content-Location` name of its
    /// origin; none after a safe method or an error.
    static func urls(after response: HTTPResponse, to request: HTTPRequest) -> [String] {
        guard !isSafe(request.method), (200..<400).contains(response.status.code) else { return [] }
        let target = request.urlText
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            response.headerFields[name].flatMap { URLReference.resolve($0, against: target) }
        }
        return [target] + named.filter { $0 != target && URLReference.haveSameOrigin($0, target) }
    }

    /// Methods that are known to change nothing (RFC 9110, section 9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head || method == .options || method == .trace
    }
}
