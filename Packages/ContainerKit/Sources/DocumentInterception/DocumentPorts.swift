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

    /// Returns URLs, without queries, of a page's origin whose GET requests route rules redirect or answer. Reads
    /// memory.
    /// - Parameter url: the real URL of the page's document.
    func answeredURLs(ofPageAt url: String) -> [String]

    /// Returns WebKit content rules for the requests of a page that the engine makes itself and that route rules block,
    /// or `nil` if they block none. Reads memory.
    /// - Parameter url: the real URL of the page's document.
    /// - Throws: any error, if there are too many rules.
    func blockingContentRules(forPageAt url: String) throws -> String?

    /// Returns a Boolean value that indicates whether a route rule determines the response to a request, without the
    /// server and the content sources. Reads memory.
    func hasRuledResponse(_ request: ResourceRequest) -> Bool

    /// Returns the response to a request for a document or a resource that the container makes in place of the engine,
    /// or `nil` if no loader has one. Adds the fields that the engine omits, and limits `Referer`. Redirects are not
    /// followed.
    /// - Parameters:
    ///   - request: the request with its real URL and its page.
    ///   - opener: the URL of the document that navigates or requests the resource; `nil` for a document that the app
    ///     opens or reloads.
    nonisolated(nonsending) func answer(
        inPlaceOfEngine request: ResourceRequest, opener: String?
    ) async throws -> ResourceResponse?
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

    /// Returns the URLs of the prefetched GET requests that wait for an open page.
    func prefetchedURLs(of page: PageID) -> [String]

    /// Returns the packages of an open page.
    func packages(of page: PageID) -> [PagePackage]

    /// Receives the request for a document, before it is handled.
    func requested(_ request: EngineRequest, of page: PageSession)

    /// Receives the response to the request for a document or a resource, before the engine does.
    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession)

    /// Receives the start of a request for a resource.
    /// - Returns: the page to pass to ``requestEnded(_:pendingFor:)``, or `nil` if the page is not observed.
    func requestBegan(in view: ViewID) -> PageID?

    /// Receives the record of a request that has ended.
    /// - Parameters:
    ///   - record: the record.
    ///   - page: the result of ``requestBegan(in:)``; `nil` for a document.
    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?)
}

/// A package of an open page.
package struct PagePackage: Sendable {
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
