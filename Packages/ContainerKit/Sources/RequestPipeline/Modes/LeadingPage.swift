// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

extension ResourceResponse {
    /// Returns a page that replaces itself by a real URL without a history entry. It preserves the fragment, which only
    /// the page knows.
    static func leading(to url: String) throws -> ResourceResponse {
        // A JavaScript string literal that cannot end the enclosing script element.
        let literal = try String(decoding: JSONEncoder().encode(url), as: UTF8.self).replacing("<", with: "\\u003c")
        let page = "<!DOCTYPE html><meta charset=utf-8><script>location.replace(\(literal)+location.hash)</script>"
        var response = ResourceResponse(
            head: HTTPResponse(
                status: .ok, headerFields: [.contentType: "text/html;charset=utf-8", .cacheControl: "no-store"]),
            body: .bytes(Data(page.utf8)), provenance: Provenance(.synthetic, reason: "a page of another mode"),
            isInterim: true)
        response.movedTo = url
        return response
    }
}
