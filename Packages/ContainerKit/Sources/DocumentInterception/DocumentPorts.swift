// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// The request pipeline of the mode `document`.
///
/// Isolation: any; called concurrently.
package protocol DocumentPipeline: AnyObject, Sendable {
    /// Returns a Boolean value that indicates whether the container gives the document of a real URL to the engine.
    /// Reads memory.
    func givesDocument(at url: String) -> Bool

    /// Returns a Boolean value that indicates whether a content source has the response to a GET of a real URL for an
    /// open page. May read from disk.
    func holds(_ url: String, for page: PageReference) -> Bool

    /// Returns the response to a request for a document, or `nil` if no loader has one. Redirects are not followed.
    /// - Parameters:
    ///   - request: the request with its real URL and its page.
    ///   - opener: the URL of the document that navigates; `nil` for a document that the app opens or reloads.
    nonisolated(nonsending) func answer(
        documentRequest request: ResourceRequest, opener: String?
    ) async throws -> ResourceResponse?

    /// Returns the response to the request of a page for a resource at its custom-scheme URL, or `nil` if no loader has
    /// one. Redirects are not followed.
    nonisolated(nonsending) func answer(resourceRequest request: ResourceRequest) async throws -> ResourceResponse?
}

/// The container's side of document interception: the open pages, their packages, and the observers of their requests.
///
/// Isolation: the main actor.
@MainActor
package protocol DocumentHost: AnyObject, Sendable {
    /// Returns the session of the page in a view with its current generations, or `nil` if the view shows none.
    func session(of view: ViewID) -> PageSession?

    /// Returns the real URLs of the files of an open page's packages. The files of complete packages are not included.
    func fileURLs(of page: PageID) async -> [String]

    /// Returns the packages of an open page.
    func packages(of page: PageID) -> [PagePackage]

    /// Receives the request for a document, before it is handled.
    func requested(_ request: EngineRequest, of page: PageSession)

    /// Receives the response to the request for a document or a resource, before the engine does.
    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession)

    /// Receives the record of a request that has ended.
    func requestEnded(_ record: RequestRecord)
}

/// A package of an open page.
package struct PagePackage: Sendable, Hashable {
    /// The base URL.
    let url: String
    /// A Boolean value that indicates whether the package has all files below its base URL.
    let isComplete: Bool

    /// Creates the description of a package.
    package init(url: String, isComplete: Bool) {
        self.url = url
        self.isComplete = isComplete
    }
}
