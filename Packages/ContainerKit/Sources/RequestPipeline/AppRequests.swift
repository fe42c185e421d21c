// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ResourceLoading
package import SchemeRouter

/// Answers the app's own requests, which are sent by sessions with the container's `URLProtocol`.
///
/// Isolation: the main actor.
@MainActor
package final class AppRequests {
    /// The `URLProtocol` that sessions of the app install.
    package let face: URLProtocolFace
    private let reporting: Task<Void, Never>
    private let lost = Counter()

    /// The number of request records that were dropped.
    package var lostReports: Int { lost.count }

    /// Creates the handler of the app's requests.
    /// - Parameters:
    ///   - path: the handler of the requests.
    ///   - receive: a function that receives the record of each request that has ended.
    package init(path: RequestHandler, receive: @escaping @MainActor (RequestRecord) -> Void) {
        let (reports, report) = AsyncStream.makeStream(
            of: URLProtocolFace.Report.self, bufferingPolicy: .bufferingNewest(4_096))
        face = URLProtocolFace(Loader(path: path), covering: { path.policy.intercepts($0, page: nil) }) { [lost] in
            if case .dropped = report.yield($0) { lost.add() }
        }
        reporting = Task {
            for await report in reports { receive(RequestRecord(report)) }
        }
    }

    deinit {
        reporting.cancel()
    }

    private final class Counter: Sendable {
        private let value = Mutex(0)
        var count: Int { value.withLock { $0 } }
        func add() { value.withLock { $0 += 1 } }
    }

    private struct Loader: ResourceLoader {
        let path: RequestHandler

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            try await path.answer(request)
        }
    }
}
