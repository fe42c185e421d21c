// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// An absolute http or https URL in normalized form, for comparison.
///
/// Scheme and host are in lower case, and there is no fragment. The default port and an empty path are normalized.
/// The text has the escapes that engines send (``URLSpelling/standard(_:)``). Existing escapes are unchanged.
package struct PrefetchURL: Sendable, Hashable {
    let origin: WebOrigin
    /// The path, from the first slash to the query.
    package let path: String
    /// The query without its question mark; `nil` if there is none.
    package var query: String?

    /// Creates a URL; returns `nil` if the text is not an absolute http or https URL, or contains user information.
    package init?(_ text: some StringProtocol) {
        guard let head = HTTPRequest(urlText: URLSpelling.standard(text)) else { return nil }
        self.init(head)
    }

    /// Creates the URL of a request.
    package init?(_ head: HTTPRequest) {
        guard let scheme = head.scheme, ["http", "https"].contains(scheme), let authority = head.authority,
            Authority(authority[...].utf8) != nil, let origin = head.webOrigin
        else { return nil }
        let target = head.path ?? "/"
        let bytes = target.utf8
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"))
        self.origin = origin
        path = String(target[..<(mark ?? target.endIndex)])
        query = mark.map { String(target[bytes.index(after: $0)...]) }
    }

    /// The whole URL.
    package var text: String { page + (query.map { "?\($0)" } ?? "") }

    /// The URL without its query, by which pages are matched.
    package var page: String { "\(origin)\(path)" }
}
