// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// Functions that resolve, compare and normalise real URLs.
enum RealURL {
    /// Returns the absolute URL of a reference; `nil` if it is not an HTTP URL.
    static func resolve(_ reference: some StringProtocol, against base: String) -> String? {
        let reference = reference.drop { $0.isASCII && ($0.asciiValue ?? 0) <= 0x20 }
        return URLSpelling.resolve(reference, against: base)
    }

    /// Returns the form of a style sheet URL that is used as a key, without its fragment; `nil` if engines may spell
    /// the URL differently.
    static func canonical(_ url: String) -> String? {
        let url = URLSpelling.strict(url)
        guard url.utf8.allSatisfy({ (0x21..<0x7F).contains($0) && !"\\'".utf8.contains($0) }),
            let request = HTTPRequest(urlText: url), let origin = request.webOrigin, let path = request.path,
            request.authority?.contains("@") == false,
            HostSpelling.plain(Array(origin.authority.utf8), scheme: origin.scheme) == origin.authority
        else { return nil }
        let segments = path.prefix { $0 != "?" }.split(separator: "/", omittingEmptySubsequences: false)
        guard !segments.contains(where: { isDots($0) }) else { return nil }
        return "\(origin)\(path)"
    }

    static func isSameOrigin(_ one: String, _ other: String) -> Bool {
        let origin = WebOrigin(url: one)
        return origin != nil && origin == WebOrigin(url: other)
    }

    private static func isDots(_ segment: Substring) -> Bool {
        [".", ".."].contains(segment.asciiLowercased.replacing("%2e", with: "."))
    }
}
