// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// The container's side of the requests that a ``SchemeRequestHandler`` answers: the pages that are open, and the observers
/// of their requests.
///
/// Isolation: the main actor.
@MainActor
package protocol RequestDeliveryHost: AnyObject {
    /// The number of times that downloads were ended as a whole; see ``divert(_:to:isDocument:of:askedIn:)``.
    var downloadEpoch: Int { get }

    /// Returns the session of the page in a view; `nil` if the view shows none.
    func session(of view: ViewID) -> PageSession?

    /// Receives the request for the document of a page, before it is answered.
    func documentRequested(by request: EngineRequest, of page: PageSession?)

    /// Counts a request as pending, whose response is not in memory.
    /// - Returns: the page for ``requestEnded(_:pendingFor:)``; `nil` if it is not observed.
    func requestBegan(in view: ViewID?) -> PageID?

    /// Receives a response, before the engine does.
    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession?)

    /// Receives the record of a request that has ended.
    /// - Parameters:
    ///   - record: the record.
    ///   - page: the result of ``requestBegan(in:)``; `nil` if the request was never pending.
    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?)

    /// Prepares a page for the response for its document, which may lead the page to a URL of another mode.
    func prepare(_ page: PageSession?, for response: ResourceResponse) async

    /// Returns the response that a page gets if the given one is a file to be saved; `nil` if it is not.
    /// - Parameter epoch: the value of ``downloadEpoch`` at the time of the request.
    func divert(
        _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse?
}
