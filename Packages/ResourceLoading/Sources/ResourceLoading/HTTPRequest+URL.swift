// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

extension HTTPRequest {
    /// The request's absolute URL as text; empty parts stay empty.
    public var urlText: String {
        "\(scheme ?? "")://\(authority ?? "")\(path ?? "")"
    }

    /// A request for an absolute hierarchical URL, whose fragment is dropped.
    ///
    /// `nil` where the text has no scheme or no authority. Cheaper than a parsed `URL`, and keeps the text as it is.
    public init?(method: HTTPRequest.Method = .get, urlText: some StringProtocol, headerFields: HTTPFields = [:]) {
        let text = urlText.prefix { $0 != "#" }
        guard let colon = text.firstIndex(of: ":"), text[colon...].hasPrefix("://") else { return nil }
        let afterScheme = text[text.index(colon, offsetBy: 3)...]
        let pathStart = afterScheme.firstIndex { $0 == "/" || $0 == "?" } ?? afterScheme.endIndex
        let authority = afterScheme[..<pathStart]
        let path = afterScheme[pathStart...]
        guard !text[..<colon].isEmpty, !authority.isEmpty else { return nil }
        self.init(
            method: method, scheme: text[..<colon].lowercased(), authority: authority.lowercased(),
            path: path.hasPrefix("/") ? String(path) : "/" + path, headerFields: headerFields)
    }
}
