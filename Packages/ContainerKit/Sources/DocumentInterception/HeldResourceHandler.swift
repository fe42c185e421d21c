// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
package import ResourceLoading
@_spi(Facade) package import SchemeMode
package import WebEngine
internal import WebSyntax

/// The handler of the custom-scheme requests of pages in the mode `document`.
///
/// Only GET requests for resources have a response; documents and frames open at their real URLs. A resource that no
/// content source holds comes from the network: a module imports relative URLs, which are custom-scheme URLs. Requests
/// carry the engine's cookies only if the requesting document has the origin of the real URL.
///
/// For the engine, every request is cross-origin, so a page reads the response only with permission (CORS). The handler
/// gives the permission to documents of the real origin. Files of packages contain no data of a user and are readable
/// by all pages. For all other responses, the fields of the server decide.
///
/// Isolation: the main actor.
@MainActor
package final class HeldResourceHandler {
    /// The maximum number of bytes of a style sheet that is rewritten; 16 MB. Larger style sheets are delivered
    /// unchanged.
    private static let styleSheetLimit: Int64 = 16 << 20

    private let pipeline: any DocumentPipeline
    private let names: SchemeNames
    private let host: any DocumentHost

    /// Creates a handler.
    /// - Parameters:
    ///   - names: the custom schemes.
    ///   - pipeline: the request pipeline of the mode.
    ///   - host: the container's side.
    package init(names: SchemeNames, pipeline: any DocumentPipeline, host: any DocumentHost) {
        self.names = names
        self.pipeline = pipeline
        self.host = host
    }

    /// Responds to a request of a page.
    package func answer(
        _ request: EngineRequest, of page: PageSession, to sink: any SchemeTaskSink
    ) -> SchemeTaskDelivery {
        let delivery = SchemeTaskDelivery(to: sink)
        let attribution = PageAttribution(page.reference, confidence: .exact)
        var record = RequestRecord(
            from: .page, of: attribution, request.head.method, names.realURL(of: request.head),
            isMainDocument: request.isMainDocument)
        let pending = host.requestBegan(in: page.view)
        delivery.start { [pipeline, names] in
            try await Self.response(to: request, of: attribution, names, pipeline)
        } observe: { [host] response in
            record.record(response.head, from: response.provenance)
            host.received(response, to: request, of: page)
        } completion: { [host] outcome in
            record.record(outcome)
            host.requestEnded(record, pendingFor: pending)
        }
        return delivery
    }

    private static func response(
        to request: EngineRequest, of page: PageAttribution, _ names: SchemeNames, _ pipeline: any DocumentPipeline
    ) async throws -> ResourceResponse {
        var head = request.head
        let url = names.realURL(of: head)
        guard head.method == .get, !request.isMainDocument, !head.isDocumentRequest,
            let scheme = names.realScheme(for: head.scheme ?? "")
        else { throw ResourceError(.invalidRequest, "only resources have a custom-scheme URL in this mode", at: url) }
        head.scheme = scheme
        head.path = head.path.map(names.realTarget)
        let origin = head.headerFields[.origin]
        let isOfOrigin = origin.flatMap { WebOrigin(url: $0) } == head.webOrigin
        var redirected = RedirectedRequest(
            ResourceRequest(
                head, destination: .subresource, mode: origin == nil ? .noCORS : .cors,
                credentials: isOfOrigin ? .sameOrigin : .omit, page: page))
        // As for https, a resource may not lead from https to http (Mixed Content, section 4.4).
        let response = try await redirected.response {
            scheme == "http" || $0.hasPrefix("https:")
        } load: {
            try await pipeline.answer(inPlaceOfEngine: $0, opener: page.page.documentURL)
        }
        guard var response else { throw ResourceError(.blocked, "no loader has a response", at: url) }
        response = try await rewritten(
            response, at: redirected.request.head.urlText, of: url, page.page, names, pipeline)
        let isWithinOrigin = isOfOrigin && redirected.request.head.webOrigin == head.webOrigin
        permit(origin, isWithinOrigin: isWithinOrigin, to: &response)
        return response
    }

    /// Adds the permission that the engine requires to a response that the requesting document may read.
    private static func permit(_ origin: String?, isWithinOrigin: Bool, to response: inout ResourceResponse) {
        guard let origin, isWithinOrigin || response.provenance.source == .package else { return }
        let readable = response.head.headerFields.map(\.name.rawName).joined(separator: ", ")
        response.head.headerFields[.accessControlAllowOrigin] = origin
        response.head.headerFields[.accessControlAllowCredentials] = "true"
        response.head.headerFields[.accessControlExposeHeaders] = readable
    }

    /// Returns a style sheet in which the URLs of resources that the container does not hold are real URLs.
    private static func rewritten(
        _ response: ResourceResponse, at url: String, of requestedURL: String, _ page: PageReference,
        _ names: SchemeNames, _ pipeline: any DocumentPipeline
    ) async throws -> ResourceResponse {
        let type = response.head.headerFields[.contentType] ?? ""
        guard MediaType.essence(of: type) == "text/css", response.head.headerFields[.contentEncoding] == nil,
            response.body.length ?? 0 <= styleSheetLimit
        else { return response }
        let bytes = try await response.body.collect(upTo: Int(styleSheetLimit))
        return await styleSheet(
            bytes, of: response, at: url, of: requestedURL, charset: FieldParameters(type)["charset"], page, names,
            pipeline)
    }

    /// Runs on the concurrent executor, because rewriting takes time.
    @concurrent
    private nonisolated static func styleSheet(
        _ bytes: Data, of response: ResourceResponse, at url: String, of requestedURL: String, charset: String?,
        _ page: PageReference, _ names: SchemeNames, _ pipeline: any DocumentPipeline
    ) async -> ResourceResponse {
        let rewriter = HeldResourceRewriter(names: names) { pipeline.holds($0, for: page) }
        var response = response
        let text = rewriter.styleSheet(bytes, at: url, requestedURL: requestedURL, charset: charset)
        response.body = .bytes(text)
        response.head.headerFields[.contentLength] = String(text.count)
        return response
    }
}
