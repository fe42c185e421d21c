// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension HTTPRequest {
    /// The request's absolute URL as text; empty parts stay empty.
    public var urlText: String {
        "\(scheme ?? "")://\(authority ?? "")\(path ?? "")"
    }

    /// A request for an absolute hierarchical URL, whose fragment is dropped. Scheme and host become lower case.
    ///
    /// `nil` where the text has no scheme (RFC 3986, section 3.1) or no authority. Cheaper than a parsed `URL`, and
    /// keeps the text as it is.
    public init?(method: HTTPRequest.Method = .get, urlText: some StringProtocol, headerFields: HTTPFields = [:]) {
        // Searched by bytes, as engines do: by characters, a combining mark would hide the separator before it.
        var text = Substring(urlText)
        text = text[..<(text.utf8.firstIndex(of: UInt8(ascii: "#")) ?? text.endIndex)]
        guard let colon = text.utf8.firstIndex(of: UInt8(ascii: ":")), text.utf8[colon...].starts(with: "://".utf8)
        else { return nil }
        let afterScheme = text[text.utf8.index(colon, offsetBy: 3)...]
        let pathStart =
            afterScheme.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? afterScheme.endIndex
        let authority = afterScheme[..<pathStart]
        let path = afterScheme[pathStart...]
        guard Self.isScheme(text.utf8[..<colon]), !authority.isEmpty else { return nil }
        // The case of a user's name and password counts (RFC 3986, section 6.2.2.1).
        let hostStart =
            authority.utf8.lastIndex(of: UInt8(ascii: "@")).map(authority.utf8.index(after:)) ?? authority.startIndex
        self.init(
            method: method, scheme: text[..<colon].lowercased(),
            authority: authority[..<hostStart] + authority[hostStart...].lowercased(),
            path: path.utf8.first == UInt8(ascii: "/") ? String(path) : "/" + path, headerFields: headerFields)
    }

    private static func isScheme(_ text: Substring.UTF8View) -> Bool {
        let letters = UInt8(ascii: "a")...UInt8(ascii: "z")
        guard let first = text.first, letters.contains(first | 0x20) else { return false }
        return text.allSatisfy { byte in
            letters.contains(byte | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
        }
    }
}
