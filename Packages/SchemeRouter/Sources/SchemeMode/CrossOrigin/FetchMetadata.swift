// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The `Sec-Fetch-*` fields (Fetch Metadata Request Headers), derived from a request for engines that do not send them
/// to custom schemes.
///
/// `Sec-Fetch-User` is never sent. The request of an element does not show whether the element is in the page or in a
/// frame of another origin. If the page has frames of other origins, `Sec-Fetch-Site` is omitted, unless its value is
/// the same for all initiators.
enum FetchMetadata {
    static let names = ["Sec-Fetch-Site", "Sec-Fetch-Mode", "Sec-Fetch-Dest"].compactMap { HTTPField.Name($0) }

    /// Sets the fields of a request; removes them if the URL of the request is not potentially trustworthy.
    /// - Parameters:
    ///   - request: The request to change.
    ///   - initiator: The requesting origin; `nil` if the app opens a page.
    ///   - others: Other origins that may have made the request.
    ///   - sites: The source of registrable domains.
    static func complete(
        _ request: inout ResourceRequest, from initiator: WebOrigin?, or others: Set<WebOrigin> = [],
        sites: any PublicSuffixing
    ) {
        var values: [String?]?
        if let target = request.head.webOrigin, target.isPotentiallyTrustworthy {
            let dest = destination(of: request)
            let site = site(of: target, from: initiator, sites)
            let isSure = others.allSatisfy { Self.site(of: target, from: $0, sites) == site }
            values = [isSure ? site : nil, mode(of: request, dest), dest]
        }
        var fields = request.head.headerFields
        request.head.headerFields = HTTPFields()
        fields.reserveCapacity(fields.count + names.count)
        for (index, name) in names.enumerated() { fields[name] = values?[index] }
        request.head.headerFields = fields
    }

    /// Returns the value of `Sec-Fetch-Site`.
    static func site(of request: ResourceRequest) -> String? {
        names.first.flatMap { request.head.headerFields[$0] }
    }

    /// Sets `Sec-Fetch-Site` if the URL of the request is potentially trustworthy.
    static func setSite(_ site: String?, of request: inout ResourceRequest) {
        guard let name = names.first, request.head.webOrigin?.isPotentiallyTrustworthy == true else { return }
        request.head.headerFields[name] = site
    }

    /// Updates `Sec-Fetch-Site` of a redirected request: the weakest value of all hops applies (Fetch Metadata,
    /// section 2.3, step 5).
    /// - Parameters:
    ///   - hop: The request that follows the redirect.
    ///   - request: The redirected request. If it has no `Sec-Fetch-Site`, that of the hop is unchanged.
    ///   - sites: The source of registrable domains.
    static func extend(_ hop: inout ResourceRequest, after request: ResourceRequest, sites: any PublicSuffixing) {
        guard let target = hop.head.webOrigin, target.isPotentiallyTrustworthy else {
            for name in names { hop.head.headerFields[name] = nil }
            return
        }
        guard let name = names.first, let claim = request.head.headerFields[name],
            claim != "none", claim != "cross-site", target != request.head.webOrigin
        else { return }
        let step = site(of: target, from: request.head.webOrigin, sites)
        hop.head.headerFields[name] = step == "cross-site" ? step : "same-site"
    }

    private static func site(
        of target: WebOrigin, from initiator: WebOrigin?, _ sites: any PublicSuffixing
    ) -> String {
        guard let initiator else { return "none" }
        if target == initiator { return "same-origin" }
        return sites.areSameSite(target, initiator) ? "same-site" : "cross-site"
    }

    private static func mode(of request: ResourceRequest, _ destination: String) -> String {
        switch request.mode {
        case .navigate: "navigate"
        case .cors: "cors"
        case .noCORS: "no-cors"
        // With the destination `empty`, a script's request within its origin; otherwise the request of an element.
        case .unknown: destination == "empty" ? "cors" : "no-cors"
        }
    }

    /// Returns the destination. WebKit identifies documents, images and style sheets by `Accept`. For other requests,
    /// WebKit sends `Referer` only if a script made them. Otherwise the file extension is used.
    private static func destination(of request: ResourceRequest) -> String {
        switch request.destination {
        case .document: return "document"
        case .nestedDocument: return "iframe"
        case .subresource, .unknown: break
        }
        if request.head.isImageRequest { return "image" }
        if request.head.isStyleRequest { return "style" }
        guard request.head.headerFields[.referer] == nil else { return "empty" }
        let path = (request.head.path ?? "").prefix { $0 != "?" }
        let dot = path.utf8.lastIndex(of: UInt8(ascii: "."))
        switch dot.map({ path[path.utf8.index(after: $0)...].asciiLowercased }) {
        case "js", "mjs": return "script"
        case "woff2", "woff", "ttf", "otf": return "font"
        case "mp4", "webm": return "video"
        case "mp3", "ogg": return "audio"
        default: return "empty"
        }
    }
}
