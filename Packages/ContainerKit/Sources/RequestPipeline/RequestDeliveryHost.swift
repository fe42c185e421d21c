// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading
package import WebEngine

/// The container's side of a ``SchemeRequestHandler``: the open pages, and the observers of their requests.
///
/// Isolation: the main actor.
@MainActor
package protocol RequestDeliveryHost: AnyObject {
    /// The number of times that all downloads were cancelled; see ``divert(_:to:isDocument:of:askedIn:)``.
    var downloadEpoch: Int { get }

    /// Returns the session of the page in a view, or `nil` if the view shows none.
    func session(of view: ViewID) -> PageSession?

    /// Receives the request for the document of a page, before it is handled.
    func documentRequested(by request: EngineRequest, of page: PageSession?)

    /// Receives the start of a request whose response is not in memory.
    /// - Returns: the page to pass to ``requestEnded(_:pendingFor:)``, or `nil` if the page is not observed.
    func requestBegan(in view: ViewID?) -> PageID?

    /// Receives a response, before the engine does.
    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession?)

    /// Receives the record of a request that has ended.
    /// - Parameters:
    ///   - record: the record.
    ///   - page: the result of ``requestBegan(in:)``; `nil` if the request was never pending.
    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?)

    /// Prepares a page for the response to its document request, which can redirect the page to a URL of another mode.
    func prepare(_ page: PageSession?, for response: ResourceResponse) async

    /// Starts a download if a response is a file to be saved.
    /// - Parameters:
    ///   - response: the response.
    ///   - request: the request.
    ///   - isDocument: a Boolean value that indicates whether the request is for a document.
    ///   - page: the page of the request.
    ///   - epoch: the value of ``downloadEpoch`` at the time of the request.
    /// - Returns: the response for the page in place of the file, or `nil` if the response is not saved.
    func divert(
        _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
        askedIn epoch: Int
    ) -> ResourceResponse?
}
