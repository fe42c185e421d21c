// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// Enforces the policies by which a server says who may embed its response, for engines that do not enforce them on
/// custom schemes: `X-Frame-Options`, `frame-ancestors` and `Cross-Origin-Resource-Policy`.
///
/// Measured: WebKitGTK 2.50 enforces none of them there. Of the documents around a frame, a request shows the page's
/// alone: the document names the others before it is shown, see `FramedDocuments`.
struct EmbeddingRule: Sendable {
    private let frames: FrameOrigins
    private let documents: FramedDocuments
    private let sites: any PublicSuffixing

    /// - Parameter completion: what knows the frames of pages; `nil` if nothing does.
    init(_ completion: RequestCompletion?, sites: any PublicSuffixing) {
        frames = completion?.frames ?? FrameOrigins()
        documents = completion?.framed ?? FramedDocuments()
        self.sites = sites
    }

    /// Checks `Cross-Origin-Resource-Policy`, for each response of a request, redirects included.
    /// - Throws: `ResourceError` with code `blocked`.
    func check(_ head: HTTPResponse, of request: ResourceRequest) throws {
        guard request.destination == .subresource, request.mode != .cors,
            let policy = ResourcePolicy(head.headerFields),
            let resource = request.head.webOrigin, let page = request.page?.page.documentURL
        else { return }
        let fields = request.head.headerFields
        let asking: [WebOrigin]
        if let named = fields[.origin] ?? fields[.referer] {
            asking = [WebOrigin(url: named) ?? .opaque]
        } else {
            // The request does not say whether the page or one of its frames asks.
            asking = (WebOrigin(url: page).map { [$0] } ?? []) + frames.origins(in: request.page).covered
        }
        guard asking.contains(where: { policy.allows($0, of: resource, sites: sites) }) else {
            throw ResourceError(
                .blocked, "Cross-Origin-Resource-Policy is \(policy.rawValue)", at: request.head.urlText)
        }
    }

    /// Returns what a frame shows: the response, or an empty document of an opaque origin in its place.
    /// - Parameters:
    ///   - response: the last one, after all redirects.
    ///   - request: the one that it answers.
    ///   - url: the URL that the frame asked for.
    func framed(
        _ response: ResourceResponse, of request: ResourceRequest, askedAt url: String
    ) -> ResourceResponse {
        guard request.destination == .nestedDocument, let document = request.head.webOrigin,
            let page = request.page?.page.documentURL
        else { return response }
        let policy = FramingPolicy(response.head.headerFields)
        guard !policy.isEmpty else {
            documents.remove(at: url)
            return response
        }
        guard let refusal = policy.refusal(of: document, in: [WebOrigin(url: page) ?? .opaque]) else {
            documents.insert(policy, at: url, of: document)
            return response
        }
        return Self.empty(because: "\(refusal) forbids the frame")
    }

    /// The document that a page finds in a frame that was refused: as in the plain engine the frame loads, and its
    /// document is of another origin.
    private static func empty(because reason: String) -> ResourceResponse {
        ResourceResponse(
            head: HTTPResponse(
                status: .ok,
                headerFields: [
                    .contentType: "text/html;charset=utf-8", .cacheControl: "no-store",
                    .contentSecurityPolicy: "sandbox",
                ]),
            body: .bytes(Data("<!DOCTYPE html>".utf8)), provenance: .init(.synthetic, reason: reason))
    }
}
