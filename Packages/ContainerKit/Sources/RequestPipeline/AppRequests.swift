// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ResourceLoading
package import SchemeRouter

/// The app's own requests: those of the sessions that the container answers.
@MainActor
package final class AppRequests {
    /// The entry of the requests, which sessions of the app install.
    package let face: URLProtocolFace
    private let reporting: Task<Void, Never>
    private let lost = Counter()

    /// The number of requests whose records were lost.
    package var lostReports: Int { lost.count }

    /// - Parameters:
    ///   - path: the handler of the requests.
    ///   - receive: receives the record of each request that has ended.
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
