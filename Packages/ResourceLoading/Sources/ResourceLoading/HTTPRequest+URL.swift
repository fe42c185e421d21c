// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
internal import WebSyntax

extension HTTPRequest {
    /// The absolute URL of the request as text. Missing components are empty.
    public var urlText: String {
        let (scheme, authority, path) = (scheme ?? "", authority ?? "", path ?? "")
        // The string is built in one allocation, because this property is read for each request.
        var url = ""
        url.reserveCapacity(scheme.utf8.count + authority.utf8.count + path.utf8.count + 3)
        url += scheme
        url += "://"
        url += authority
        url += path
        return url
    }

    /// Creates a request for an absolute hierarchical URL without its fragment. Scheme and host become lowercase.
    ///
    /// Fails if the text has no scheme (RFC 3986, section 3.1) or no authority. This initializer is faster than `URL`,
    /// and leaves the rest of the text unchanged.
    public init?(method: HTTPRequest.Method = .get, urlText: some StringProtocol, headerFields: HTTPFields = [:]) {
        // The search compares bytes, as engines do. A comparison of characters would miss a separator that a combining
        // mark follows.
        var text = Substring(urlText)
        text = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[colon...].starts(with: "://".utf8)
        else { return nil }
        let afterScheme = text[text.utf8.index(colon, offsetBy: 3)...]
        let pathStart =
            afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? afterScheme.endIndex
        let authority = afterScheme[..<pathStart]
        let path = afterScheme[pathStart...]
        guard URLScheme.isValid(text.utf8[..<colon]), !authority.isEmpty else { return nil }
        // User name and password are case-sensitive (RFC 3986, section 6.2.2.1).
        let hostStart =
            authority.utf8.lastIndex(of: UInt8(ascii: "@")).map(authority.utf8.index(after:)) ?? authority.startIndex
        self.init(
            method: method, scheme: text[..<colon].asciiLowercased,
            authority: authority[..<hostStart] + authority[hostStart...].asciiLowercased,
            path: path.utf8.first == UInt8(ascii: "/") ? String(path) : "/" + path, headerFields: headerFields)
    }
}
