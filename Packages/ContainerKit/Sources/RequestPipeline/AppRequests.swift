// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ResourceLoading
package import SchemeRouter

/// The responder to the app's own requests from sessions with the container's `URLProtocol`.
///
/// Isolation: the main actor.
@MainActor
package final class AppRequests {
    /// The `URLProtocol` that sessions of the app install.
    package let face: URLProtocolFace
    private let outgoing: OutgoingRequests
    private let reports = Broadcast<URLProtocolFace.Report>(capacity: 4_096)
    private let reporting: Task<Void, Never>

    /// The number of request records that were dropped.
    package var lostReports: Int { reports.dropped }
    /// The number of the container's own requests that came back in a session of the app.
    package var returnedRequests: Int { outgoing.returned }

    /// Creates the handler of the app's requests.
    /// - Parameters:
    ///   - path: the handler of the requests.
    ///   - outgoing: the requests that the container has given to code of the app.
    ///   - receive: a closure that receives the record of each request that has ended.
    package init(
        path: RequestHandler, outgoing: OutgoingRequests, receive: @escaping @MainActor (RequestRecord) -> Void
    ) {
        self.outgoing = outgoing
        let stream = reports.subscribe()
        face = URLProtocolFace(
            Loader(path: path), outgoing: outgoing, covering: { path.policy.intercepts($0, page: nil) }
        ) { [reports] in reports.send($0) }
        reporting = Task {
            for await report in stream { receive(RequestRecord(report)) }
        }
    }

    deinit {
        reporting.cancel()
    }

    private struct Loader: ResourceLoader {
        let path: RequestHandler

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            try await path.answer(request)
        }
    }
}
