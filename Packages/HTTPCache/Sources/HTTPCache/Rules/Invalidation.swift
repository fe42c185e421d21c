// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The invalidation of stored responses by unsafe requests (RFC 9111, section 4.4).
enum Invalidation {
    /// Returns the URLs whose stored responses are invalidated: the target, and the URLs of the same origin in
    /// `Location` and `Content-Location`. Returns none after a safe method or an error.
    static func urls(after response: HTTPResponse, to request: HTTPRequest) -> [String] {
        guard !isSafe(request.method), (200..<400).contains(response.status.code) else { return [] }
        let target = request.urlText
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name -> String? in
            guard let other = response.headerFields[name].flatMap({ resolve($0, against: target) }),
                let origin = other.webOrigin, origin == request.webOrigin, other.urlText != target
            else { return nil }
            return other.urlText
        }
        return [target] + named
    }

    /// Returns the request for a reference in `Location` or `Content-Location` (RFC 9110, sections 8.7 and 10.2.2).
    /// Returns `nil` if the reference does not resolve to an HTTP URL.
    /// - Parameter base: An absolute URL.
    static func resolve(_ reference: String, against base: String) -> HTTPRequest? {
        HTTPRequest(urlText: reference.isEmpty ? base : URLSpelling.resolve(reference, against: base) ?? "")
    }

    /// Returns a Boolean value that indicates whether a method is safe (RFC 9110, section 9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head || method == .options || method == .trace
    }
}
