// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import OfflinePackage
internal import PackageUpdates
internal import RequestPipeline
internal import ResourceLoading
internal import SchemeRouter
internal import WebEngine

#if canImport(FoundationNetworking)
    public import FoundationNetworking
#else
    public import Foundation
#endif

// Requests of the app, and the responses that pages receive.
extension Container {
    /// Answers the app's own requests, as it does those of pages: what sessions of this configuration ask for is
    /// intercepted where the rules say so, and else left to the session. Call it before the session is made, and when
    /// the configuration's cookies, header fields and time limits are as they shall be. Holds for as long as the
    /// container lives; what `URLProtocolFace` says of Linux holds here, too.
    public func intercept(_ configuration: URLSessionConfiguration) {
        appRequests.face.install(in: configuration)
    }

    /// A package that answers a page is tried by it, wherever the page's document lies.
    func recordResponse(_ response: ResourceResponse, to asked: PageSession?) {
        // Not an answer that comes when the page shows another document, or is closed.
        guard let generation = response.provenance.generation, let asked, let session = sessions[asked.view],
            session.id == asked.id, session.documentURL == asked.documentURL,
            !packages.hasRecorded(generation, of: session.id)
        else { return }
        packages.recordResponse(of: generation, to: current(session).reference)
    }
}
