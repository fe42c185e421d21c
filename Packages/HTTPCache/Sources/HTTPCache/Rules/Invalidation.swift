// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

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

/// References in `Location` and `Content-Location` (RFC 9110, sections 8.7 and 10.2.2).
enum URLReference {
    /// The absolute URL that a reference means, without its fragment.
    /// - Parameter base: absolute.
    /// - Returns: `nil` where it means none of the web.
    static func resolve(_ reference: String, against base: String) -> String? {
        guard let baseURL = URL(string: URLSpelling.strict(base)) else { return nil }
        if reference.isEmpty { return base }
        guard let url = URL(string: URLSpelling.strict(reference), relativeTo: baseURL)?.absoluteURL else { return nil }
        return HTTPRequest(urlText: url.absoluteString)?.urlText
    }

    /// Whether two absolute URLs have the same scheme, host and port.
    static func haveSameOrigin(_ left: String, _ right: String) -> Bool {
        guard let left = HTTPRequest(urlText: left), let right = HTTPRequest(urlText: right) else { return false }
        return left.scheme == right.scheme && authority(left) == authority(right)
    }

    /// The host and the port, without a user's name.
    private static func authority(_ request: HTTPRequest) -> String {
        var text = (request.authority ?? "")[...]
        if let user = text.lastIndex(of: "@") { text = text[text.index(after: user)...] }
        let usual = request.scheme == "https" ? ":443" : ":80"
        return String(text.hasSuffix(usual) ? text.dropLast(usual.count) : text)
    }
}
