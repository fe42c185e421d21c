// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// What a redirect to another origin may bring back.
///
/// The engine sees one answer, from the origin that it asked, and would let scripts read it and documents run in that
/// origin. It does not say whether the request was one of CORS, so what CORS does not permit is held to the idea of the
/// Fetch standard's opaque-response blocking: only kinds that elements load from anywhere pass, by their announced
/// type, and neither HTML, XML nor JSON. Documents of the page itself move with their redirects and need no rule.
struct ForeignAnswerRule {
    private let origin: WebOrigin?
    private let isDocument: Bool
    /// WebKit asks so for `<img>` and pictures of style sheets; an SVG runs no scripts there.
    private let asksForImage: Bool

    /// - Parameter request: as the page sent it.
    init(for request: ResourceRequest) {
        origin = request.head.webOrigin
        isDocument = request.destination == .document
        asksForImage = request.head.headerFields[.accept]?.hasPrefix("image/") ?? false
    }

    /// Whether a URL lies at another origin than the request.
    func isForeign(_ url: String) -> Bool {
        HTTPRequest(urlText: url)?.webOrigin != origin
    }

    /// Refuses a hop that leaves TLS, as mixed content (Mixed Content, section 4.4).
    func checkHop(from request: ResourceRequest, to target: String) throws {
        guard !isDocument, request.head.scheme == "https", HTTPRequest(urlText: target)?.scheme != "https" else {
            return
        }
        throw ResourceError(.blocked, "redirect from https to http", at: target)
    }

    /// Refuses an answer that the page may not have.
    /// - Parameter request: the last hop.
    func check(_ head: HTTPResponse, of request: ResourceRequest) throws {
        guard !isDocument, request.head.webOrigin != origin, !permits(head.headerFields) else { return }
        throw ResourceError(.blocked, "redirect to another origin, which does not permit it", at: request.head.urlText)
    }

    private func permits(_ fields: HTTPFields) -> Bool {
        if let allowed = fields[.accessControlAllowOrigin], allowed == "*" || allowed == origin?.description {
            return true
        }
        // An engine takes the type of a custom scheme as it is announced, so that no document hides behind one of these.
        let type = fields[.contentType]?.prefix { $0 != ";" }.trimming().lowercased() ?? ""
        switch type {
        case "image/svg+xml": return asksForImage
        case "text/css", "text/javascript", "application/javascript", "application/x-javascript": return true
        default: return ["image/", "audio/", "video/"].contains { type.hasPrefix($0) }
        }
    }
}

extension Substring {
    fileprivate func trimming() -> Substring {
        let start = drop { $0 == " " || $0 == "\t" }
        let end = start.lastIndex { $0 != " " && $0 != "\t" }
        return end.map { start[...$0] } ?? ""
    }
}
