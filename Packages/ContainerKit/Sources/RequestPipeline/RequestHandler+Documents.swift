// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import ResourceLoading
@_spi(Facade) internal import SchemeMode

// The requests that the container makes in place of the engine in the mode `document`; see `DocumentPipeline`.
extension RequestHandler {
    package func holds(_ url: String, for page: PageReference) -> Bool {
        guard let request = HTTPRequest(urlText: url),
            !policy.disposition(of: request, page: page.documentURL).forbidsContent
        else { return false }
        return policy.sources.hold(request, for: page)
    }

    package nonisolated(nonsending) func answer(
        documentRequest request: ResourceRequest, opener: String?
    ) async throws -> ResourceResponse? {
        var request = request
        completion.complete(&request, opener: opener)
        let disposition = policy.disposition(of: request.head, page: request.head.urlText, isDocument: true)
        return try await load(request, disposition, by: loaders.page, bypass: loaders.pageBypass)
    }

    package nonisolated(nonsending) func answer(
        resourceRequest request: ResourceRequest
    ) async throws -> ResourceResponse? {
        let disposition = policy.disposition(of: request.head, page: request.page?.page.documentURL)
        return try await load(request, disposition, by: loaders.page, bypass: loaders.pageBypass)
    }
}
