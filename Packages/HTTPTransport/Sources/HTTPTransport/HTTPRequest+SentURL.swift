// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

extension HTTPRequest {
    /// The URL that the request is sent to.
    /// - Throws: `ResourceError` with code `invalidRequest` where it is none of http, or where its parts, put together, are
    ///   not read as just these: a path that begins otherwise than with a slash, or an authority with one in it, would lead
    ///   to another host than everybody above has looked at.
    func sentURL() throws -> URL {
        let text = urlText
        guard scheme == "http" || scheme == "https" else {
            throw ResourceError(.invalidRequest, "only http and https can be sent", at: text)
        }
        guard let authority, path?.utf8.first == UInt8(ascii: "/"),
            !authority.utf8.contains(where: { "/?#\\".utf8.contains($0) })
        else { throw ResourceError(.invalidRequest, "a host or a path that would change the URL", at: text) }
        // Clients trap on a port beyond 16 bits.
        guard let url = URL(string: URLSpelling.strict(text)), 0...65_535 ~= url.port ?? 0 else {
            throw ResourceError(.invalidRequest, "not a URL, or a port beyond 65535", at: text)
        }
        return url
    }
}
