// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import Foundation
package import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension HTTPRequest {
    /// Returns the URL that the request is sent to. It escapes the characters that RFC 3986 does not allow.
    /// - Throws: `ResourceError` with code `invalidRequest` if the scheme is not `http` or `https`, or if the
    ///   combined parts do not parse to the same parts. A path without a leading slash, or an authority with a slash,
    ///   would lead to a host that the loaders above have not checked.
    func sentURL() throws -> URL {
        try sentURL(urlText)
    }

    /// Returns the URL that the request is sent to, with the path `/` and without a query.
    /// - Throws: The errors of ``sentURL()``.
    package func sentRoot() throws -> URL {
        try sentURL("\(scheme ?? "")://\(authority ?? "")/")
    }

    /// The path and the query in the spelling of the request, which may be part of a signature. Bytes that cannot be in
    /// a request line (RFC 9112, section 3) are escaped; engines send none of them. A fragment is not sent (RFC 9110,
    /// section 7.1).
    package var sentTarget: String {
        let path = path ?? "/"
        let end = path.utf8.firstIndex(of: UInt8(ascii: "#")) ?? path.endIndex
        return PercentEncoding.encode(path[..<end], keeping: .visible)
    }

    private func sentURL(_ sent: String) throws -> URL {
        let text = urlText
        guard scheme == "http" || scheme == "https" else {
            throw ResourceError(.invalidRequest, "the URL scheme is not http or https", at: text)
        }
        guard let authority, path?.utf8.first == UInt8(ascii: "/"),
            !authority.utf8.contains(where: { "/?#\\".utf8.contains($0) })
        else { throw ResourceError(.invalidRequest, "the host or the path would change the URL", at: text) }
        // HTTP clients trap on a port above 65535.
        guard let url = URL(string: URLSpelling.strict(sent)), 0...65_535 ~= url.port ?? 0 else {
            throw ResourceError(.invalidRequest, "the URL is invalid, or its port is above 65535", at: text)
        }
        return url
    }
}
