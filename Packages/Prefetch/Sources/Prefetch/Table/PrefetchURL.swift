// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// An absolute URL of `http` or `https` in the spelling in which it is compared.
///
/// Scheme and host are in lower case, the scheme's own port and an empty path make no difference, letters that no URL
/// may hold are percent-encoded as engines send them, and there is no fragment. Escapes stay as they are.
package struct PrefetchURL: Sendable, Hashable {
    let origin: WebOrigin
    /// From the first slash to the query.
    package let path: String
    /// Without its question mark; `nil` where there is none.
    package var query: String?

    /// `nil` where the text is no such URL, or names a user.
    package init?(_ text: some StringProtocol) {
        guard let head = HTTPRequest(urlText: URLSpelling.strict(text)) else { return nil }
        self.init(head)
    }

    /// The URL of a request.
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

    /// What pages are matched by: the URL without its query.
    package var page: String { "\(origin)\(path)" }
}
