// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
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
        let named = [HTTPField.Name.location, .contentLocation].compactMap { name in
            response.headerFields[name].flatMap { URLReference.resolve($0, against: target) }
        }
        return [target] + named.filter { $0 != target && URLReference.haveSameOrigin($0, target) }
    }

    /// Returns a Boolean value that indicates whether a method is safe (RFC 9110, section 9.2.1).
    static func isSafe(_ method: HTTPRequest.Method) -> Bool {
        method == .get || method == .head || method == .options || method == .trace
    }
}

/// The resolution of references in `Location` and `Content-Location` (RFC 9110, sections 8.7 and 10.2.2).
enum URLReference {
    /// Returns the absolute URL of a reference, without its fragment.
    /// - Parameter base: An absolute URL.
    /// - Returns: `nil` if the result is not an HTTP URL.
    static func resolve(_ reference: String, against base: String) -> String? {
        guard let baseURL = URL(string: URLSpelling.strict(base)) else { return nil }
        if reference.isEmpty { return base }
        guard let url = URL(string: URLSpelling.strict(reference), relativeTo: baseURL)?.absoluteURL else { return nil }
        return HTTPRequest(urlText: url.absoluteString)?.urlText
    }

    /// Returns a Boolean value that indicates whether two absolute URLs have the same scheme, host and port.
    static func haveSameOrigin(_ left: String, _ right: String) -> Bool {
        guard let left = HTTPRequest(urlText: left), let right = HTTPRequest(urlText: right) else { return false }
        return left.scheme == right.scheme && authority(left) == authority(right)
    }

    /// Returns the host and the port without user information and without the default port.
    private static func authority(_ request: HTTPRequest) -> String {
        var text = (request.authority ?? "")[...]
        if let user = text.lastIndex(of: "@") { text = text[text.index(after: user)...] }
        let usual = request.scheme == "https" ? ":443" : ":80"
        return String(text.hasSuffix(usual) ? text.dropLast(usual.count) : text)
    }
}
