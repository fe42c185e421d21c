// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// Gives a page's request what it would have had on https, for engines that leave it out on custom schemes.
public struct RequestCompletion: Sendable {
    private let names: SchemeNames

    public init(_ names: SchemeNames) {
        self.names = names
    }

    /// The request's real URL, as the page may ask for it.
    /// - Parameter page: the URL of the page's document, where one is known.
    /// - Throws: `ResourceError` with code `blocked` for mixed content.
    public func checked(_ head: HTTPRequest, in page: String?) throws -> HTTPRequest {
        guard let page else { return head }
        return try MixedContent.checked(head, in: page)
    }

    /// Completes a request whose URL is the real one: `Origin` and `Referer` with real values, the referrer no longer
    /// than policies allow, ``ResourceRequest/mode``, and `Sec-Fetch-*`.
    /// - Parameter opener: the URL of the document that leads to this one, or that this one lies in; `nil` where the app
    ///   opens a page.
    public func complete(_ request: inout ResourceRequest, opener: String?) {
        names.restoreOriginFields(in: &request.head.headerFields)
        request.mode = mode(of: request)
        let fields = request.head.headerFields
        let initiator = [fields[.origin], fields[.referer], opener].lazy
            .compactMap { $0.flatMap { HTTPRequest(urlText: $0)?.webOrigin } }.first
        request.head.limitReferrer()
        FetchMetadata.complete(&request, from: initiator)
    }

    private func mode(of request: ResourceRequest) -> ResourceRequest.Mode {
        switch request.destination {
        case .document, .nestedDocument: return .navigate
        case .subresource, .unknown: break
        }
        // WebKit sends `Origin` to a custom scheme for requests of CORS alone, also where a script asks without it.
        if request.head.headerFields[.origin] != nil { return .cors }
        return request.head.asksForImage || request.head.asksForStyle ? .noCORS : .unknown
    }
}

extension HTTPRequest {
    /// WebKit asks so for `<img>` and pictures of style sheets.
    var asksForImage: Bool { headerFields[.accept]?.hasPrefix("image/") ?? false }

    /// WebKit asks so for style sheets.
    var asksForStyle: Bool { headerFields[.accept]?.hasPrefix("text/css") ?? false }

    /// Shows another origin the origin of the page alone, and a URL without TLS nothing of a page that has it.
    ///
    /// Referrer Policy, strict-origin-when-cross-origin: the default of all engines. WebKit sends the whole URL to every
    /// custom scheme, whatever the page's own policy is.
    mutating func limitReferrer() {
        guard let referrer = headerFields[.referer].flatMap({ HTTPRequest(urlText: $0)?.webOrigin }),
            referrer != webOrigin
        else { return }
        let isDowngrade = referrer.scheme == "https" && webOrigin?.isPotentiallyTrustworthy != true
        headerFields[.referer] = isDowngrade ? nil : "\(referrer)/"
    }
}
