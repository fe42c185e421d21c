// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// What a page of https may ask of http (Mixed Content, level 2).
///
/// The engine counts all schemes of an app as secure, and judges none of this.
enum MixedContent {
    /// A request as the page may send it.
    ///
    /// A picture is asked for by https; everything else of http is refused, unless its host is this machine.
    /// Sounds and films cannot be told from scripts by their requests, and are refused.
    /// - Parameter page: the URL of the page's document; its own requests are not judged.
    /// - Throws: `ResourceError` with code `blocked`.
    static func checked(_ head: HTTPRequest, in page: String) throws -> HTTPRequest {
        guard head.scheme == "http", HTTPRequest(urlText: page)?.scheme == "https",
            head.webOrigin?.isPotentiallyTrustworthy == false
        else { return head }
        // Section 4.1: not for a host that is an address, which has no certificate.
        guard head.asksForImage, head.webOrigin?.hostIsAddress == false else {
            throw ResourceError(.blocked, "http request of an https page (mixed content)", at: head.urlText)
        }
        var head = head
        head.scheme = "https"
        return head
    }
}
