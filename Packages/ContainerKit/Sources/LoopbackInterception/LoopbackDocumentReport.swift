// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
package import ResourceLoading

/// Facts about a document that are available before the engine has its response.
package struct LoopbackDocumentReport: Sendable {
    /// The page that requests the document, or `nil` if the attribution is not exact.
    package let page: PageID?
    /// A Boolean value that indicates whether the method of the request is neither GET nor HEAD.
    package internal(set) var hasBody = false
    /// A Boolean value that indicates whether the view has no document to show after the response.
    package internal(set) var isEmpty = false
    /// The real origin of the request.
    private let origin: WebOrigin?

    /// Creates the report of a request. The flags are `false`.
    init(of request: ResourceRequest) {
        origin = request.head.webOrigin
        page = request.page.flatMap { $0.confidence == .exact ? $0.page.id : nil }
    }

    /// Returns a Boolean value that indicates whether a real URL has the origin of the request.
    package func isOf(_ url: String) -> Bool {
        origin != nil && WebOrigin(url: url) == origin
    }
}
