// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The enforcement of embedding policies for engines that do not enforce them on custom schemes: `X-Frame-Options`,
/// `frame-ancestors` and `Cross-Origin-Resource-Policy`.
///
/// Measured: WebKitGTK 2.50 enforces none of them on custom schemes. The request of a frame contains only the page's
/// document, not the other ancestors. The document reports its ancestors before it is shown; see `FramedDocuments`.
struct EmbeddingRule: Sendable {
    private let frames: FrameOrigins
    private let documents: FramedDocuments
    private let sites: any PublicSuffixing

    /// Creates a rule.
    /// - Parameter completion: The source of the frames of pages and of registrable domains.
    init(_ completion: RequestCompletion) {
        frames = completion.frames
        documents = completion.framed
        sites = completion.sites
    }

    /// Checks the `Cross-Origin-Resource-Policy` of a response to a request; a redirect is a response too.
    /// - Throws: `ResourceError` with code `blocked`.
    func check(_ head: HTTPResponse, of request: ResourceRequest) throws {
        guard request.destination == .subresource, request.mode != .cors,
            let policy = ResourcePolicy(head.headerFields),
            let resource = request.head.webOrigin, let page = request.page?.page.documentURL
        else { return }
        let fields = request.head.headerFields
        let requesters: [WebOrigin]
        if let named = fields[.origin] ?? fields[.referer] {
            requesters = [WebOrigin(url: named) ?? .opaque]
        } else {
            // The request does not show whether the page or one of its frames made it.
            requesters = (WebOrigin(url: page).map { [$0] } ?? []) + frames.origins(in: request.page).covered
        }
        guard requesters.contains(where: { policy.allows($0, of: resource, sites: sites) }) else {
            throw ResourceError(
                .blocked, "Cross-Origin-Resource-Policy is \(policy.rawValue)", at: request.head.urlText)
        }
    }

    /// Returns the content of a frame: the response, or an empty document with an opaque origin if the frame is
    /// forbidden.
    /// - Parameters:
    ///   - response: The final response after all redirects.
    ///   - request: The request of that response.
    ///   - url: The URL that the frame requested.
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

    /// Returns the document of a forbidden frame. As in the plain engine, the frame loads and its document has another
    /// origin.
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
