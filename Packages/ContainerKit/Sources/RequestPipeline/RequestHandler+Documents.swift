// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode
@_spi(Facade) internal import SchemeRouter

// The requests that the container makes in place of the engine in the mode `document`; see `DocumentPipeline`.
extension RequestHandler {
    package func holds(_ url: String, for page: PageReference) -> Bool {
        guard let request = HTTPRequest(urlText: url),
            !policy.disposition(of: request, page: page.documentURL).forbidsContent
        else { return false }
        // Only the container can perform an action, so its URL is a custom-scheme URL, as that of held content is.
        return policy.sources.hold(request, for: page) || policy.action(of: request, page: page.documentURL) != nil
    }

    // A page in this mode is one whose origin is intercepted.
    package func answeredURLs(ofPageAt url: String) -> [String] {
        policy.rules.answeredURLs(ofPageAt: url, isCovered: true)
    }

    package func blockingContentRules(forPageAt url: String) throws -> String? {
        try policy.blockingContentRules(forPageAt: url)
    }

    package func hasRuledResponse(_ request: ResourceRequest) -> Bool {
        policy.action(of: request)?.action.isResponse == true
    }

    package nonisolated(nonsending) func answer(
        inPlaceOfEngine request: ResourceRequest, opener: String?
    ) async throws -> ResourceResponse? {
        var request = request
        completion.complete(&request, opener: opener)
        let isDocument = request.destination == .document
        let page = isDocument ? request.head.urlText : request.page?.page.documentURL
        let disposition = policy.disposition(of: request.head, page: page, isDocument: isDocument)
        return try await load(request, disposition, by: loaders.page, bypass: loaders.pageBypass)
    }
}
