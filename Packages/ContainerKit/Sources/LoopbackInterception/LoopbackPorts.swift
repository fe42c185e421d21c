// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import HTTPTypes
package import LoopbackServer
package import ResourceLoading

/// The request pipeline of the mode over loopback.
///
/// Isolation: any, and concurrently. All requirements but ``answer(loopback:of:)`` read memory and do not wait.
package protocol LoopbackPipeline: AnyObject, Sendable {
    /// A Boolean value that indicates whether some pages are not intercepted although their requests are covered, so
    /// that a request is decided by the pages that may have sent it.
    var distinguishesAskers: Bool { get }

    /// Returns a Boolean value that indicates whether requests to the origin of this one, whose path does not count,
    /// may be intercepted.
    func opens(originOf request: HTTPRequest) -> Bool

    /// Returns the response to a request if it is available without waiting.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - askers: the documents of which one has sent it; `nil` if the attributed page is enough.
    func immediateResponse(loopback request: ResourceRequest, of askers: [String]?) -> ImmediateResult

    /// Returns the response to a request.
    /// - Parameters:
    ///   - request: the request, with its real URL.
    ///   - askers: the documents of which one has sent it; `nil` if the attributed page is enough.
    nonisolated(nonsending) func answer(
        loopback request: ResourceRequest, of askers: [String]?
    ) async throws -> ResourceResponse?
}

/// The store of the request bodies that the scripts of older pages hand over.
package protocol LoopbackBodies: AnyObject, Sendable {
    /// Returns a Boolean value that indicates whether a request carries the identifier of a body.
    ///
    /// Isolation: any.
    func isCarried(by request: HTTPRequest) -> Bool

    /// Completes a request that carries an identifier by its body, and removes the identifier.
    /// - Throws: `ResourceError` if the body or its header fields cannot be sent with the request.
    @MainActor func complete(_ request: inout ResourceRequest) throws
}

/// Observes the requests for the documents of pages.
///
/// Isolation: any, and concurrently, except for ``record(_:)``.
package protocol LoopbackRequestObserver: AnyObject, Sendable {
    /// Receives the request for the document of a page, before it is answered.
    func documentWasRequested(_ request: HTTPRequest)
    /// Receives the real URL of a document whose response has arrived, without a fragment.
    func documentWasAnswered(_ url: String)
    /// Receives the real URL of a document that could not be loaded, without a fragment, before the engine is told.
    func documentFailed(_ url: String, because error: ResourceError)
    /// Receives facts about a document, before the engine has its response.
    @MainActor func record(_ report: LoopbackDocumentReport)
}

/// Receives the events of the proxy or the local server, in order.
///
/// Isolation: the main actor. The controller keeps its host as long as it lives.
@MainActor
package protocol LoopbackHost: AnyObject, Sendable {
    /// Receives an event of the proxy or the local server.
    func loopbackDidSend(_ event: LoopbackEvent)
    /// Receives the record of a request that has ended.
    func requestDidEnd(_ record: RequestRecord)
    /// Receives the generation that answered a subresource of a page whose document the `Referer` field names; called
    /// before ``requestDidEnd(_:)`` for the same request.
    func generation(_ generation: GenerationReference, didAnswer page: PageReference)
}

/// The ports by which loopback interception uses the rest of the container.
package struct LoopbackPorts: Sendable {
    let pipeline: any LoopbackPipeline
    let bodies: (any LoopbackBodies)?
    let observer: (any LoopbackRequestObserver)?
    let host: any LoopbackHost

    /// Creates the ports.
    /// - Parameters:
    ///   - pipeline: the pipeline of the mode.
    ///   - bodies: the bodies that older pages hand over; `nil` if the app does not support such pages.
    ///   - observer: the observer of the requests for documents.
    ///   - host: the receiver of events.
    package init(
        pipeline: any LoopbackPipeline, bodies: (any LoopbackBodies)?, observer: (any LoopbackRequestObserver)?,
        host: any LoopbackHost
    ) {
        self.pipeline = pipeline
        self.bodies = bodies
        self.observer = observer
        self.host = host
    }
}
