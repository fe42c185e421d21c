// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The rules for http requests of https pages (Mixed Content, level 2).
///
/// The engine treats all custom schemes as secure and does not apply these rules itself.
enum MixedContent {
    /// Returns a request in the form that the page may send.
    ///
    /// Image requests are upgraded to https. Other http requests are blocked, unless the host is this machine. Audio
    /// and video requests are blocked too, because they cannot be distinguished from script requests.
    /// - Parameters:
    ///   - head: The request.
    ///   - page: The URL of the page's document. The rules do not apply to requests for this document.
    /// - Throws: `ResourceError` with code `blocked`.
    static func checked(_ head: HTTPRequest, in page: String) throws -> HTTPRequest {
        guard head.scheme == "http", HTTPRequest(urlText: page)?.scheme == "https",
            head.webOrigin?.isPotentiallyTrustworthy == false
        else { return head }
        // Mixed Content, section 4.1: no upgrade if the host is an address, because it has no certificate.
        guard head.isImageRequest, head.webOrigin?.hostIsAddress == false else {
            throw ResourceError(.blocked, "http request of an https page (mixed content)", at: head.urlText)
        }
        var head = head
        head.scheme = "https"
        return head
    }
}
