// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The `Sec-Fetch-*` fields (Fetch Metadata Request Headers), made from what a request shows, for engines that send
/// none to custom schemes.
///
/// Another host of the same registrable domain, which only a list of public suffixes could tell, is `cross-site`, and
/// `Sec-Fetch-User` is never sent. What an element of a frame asks for counts as the top page's own: neither the frame nor
/// its origin is in the request.
enum FetchMetadata {
    static let names = ["Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest"].compactMap { HTTPField.Name($0) }

    /// Sets the fields of a request; none where its URL is not potentially trustworthy.
    /// - Parameter initiator: the origin that asks; `nil` where the app opens a page.
    static func complete(_ request: inout ResourceRequest, from initiator: WebOrigin?) {
        var values: [String]?
        if let target = request.head.webOrigin, target.isPotentiallyTrustworthy {
            let dest = destination(of: request)
            values = [site(of: target, from: initiator), mode(of: request, dest), dest]
        }
        for (index, name) in names.enumerated() { request.head.headerFields[name] = values?[index] }
    }

    /// Says of a hop what it adds to the way of its request: the weakest claim of all hops holds (section 2.3, step 5).
    /// - Parameter request: the one that was redirected; one without the fields stays without them.
    static func extend(_ hop: inout ResourceRequest, after request: ResourceRequest) {
        guard let target = hop.head.webOrigin, target.isPotentiallyTrustworthy else {
            for name in names { hop.head.headerFields[name] = nil }
            return
        }
        guard let name = names.first, let claim = request.head.headerFields[name],
            claim != "none", claim != "cross-site", target != request.head.webOrigin
        else { return }
        let step = site(of: target, from: request.head.webOrigin)
        hop.head.headerFields[name] = step == "cross-site" ? step : "same-site"
    }

    private static func site(of target: WebOrigin, from initiator: WebOrigin?) -> String {
        guard let initiator else { return "none" }
        if target == initiator { return "same-origin" }
        return target.scheme == initiator.scheme && target.host == initiator.host ? "same-site" : "cross-site"
    }

    private static func mode(of request: ResourceRequest, _ destination: String) -> String {
        switch request.mode {
        case .navigate: "navigate"
        case .cors: "cors"
        case .noCORS: "no-cors"
        // A script's own request within its origin, unless it is one of an element.
        case .unknown: destination == "empty" ? "cors" : "no-cors"
        }
    }

    /// WebKit says by `Accept` what asks for documents, pictures and style sheets; of the rest, `Referer` is sent for
    /// what scripts ask for alone, and the end of the path is what is left to go by.
    private static func destination(of request: ResourceRequest) -> String {
        switch request.destination {
        case .document: return "document"
        case .nestedDocument: return "iframe"
        case .subresource, .unknown: break
        }
        if request.head.asksForImage { return "image" }
        if request.head.asksForStyle { return "style" }
        guard request.head.headerFields[.referer] == nil else { return "empty" }
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        switch path.split(separator: ".").last?.lowercased() {
        case "js", "mjs": return "script"
        case "woff2", "woff", "ttf", "otf": return "font"
        case "mp4", "webm": return "video"
        case "mp3", "ogg": return "audio"
        default: return "empty"
        }
    }
}
