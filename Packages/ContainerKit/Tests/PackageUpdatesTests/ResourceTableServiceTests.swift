// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import Logging
import PackageUpdates
import ResourceLoading
import ResourceStore
import Testing

@_spi(Facade) @testable import ResourceTable

/// Triggers that arrive while a table is requested.
@MainActor
@Suite("Triggers of the resource table", .timeLimit(.minutes(1)))
struct ResourceTableServiceTests {
    private let folder = FileManager.default.temporaryDirectory.path + "/table-\(UUID().uuidString)"

    /// A server that responds to all requests with an error, after ``answerAll()``.
    private final class SlowServer: ResourceLoader {
        private let answers: AsyncStream<Void>
        private let answer: AsyncStream<Void>.Continuation
        /// One element for each request.
        let requests: AsyncStream<Void>
        private let request: AsyncStream<Void>.Continuation

        init() {
            (answers, answer) = AsyncStream.makeStream()
            (requests, request) = AsyncStream.makeStream()
        }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            self.request.yield()
            for await _ in answers {}
            return ResourceResponse(
                head: HTTPResponse(status: .badGateway), body: .empty, provenance: Provenance(.network, reason: "test"))
        }

        func answerAll() { answer.finish() }
    }

    @Test("Triggers during a slow check are dropped and start no check at its end")
    func slowCheck() async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let url = try #require(TableURL("https://table.example/table"))
        let time = Mutex(Date(timeIntervalSince1970: 1_000_000))
        let server = SlowServer()
        let (signals, receive) = AsyncStream.makeStream(of: TableTrigger.self)
        let service = try await ResourceTableService(
            TableLibrary.Configuration(endpoints: TableEndpoints(primary: url)),
            store: BlobStore(directory: folder), network: server, conditions: .favourable,
            logger: Logger(label: "test"), now: { time.withLock { $0 } }
        ) { trigger, _ in receive.yield(trigger) }
        service.record(.launch)
        var requests = server.requests.makeAsyncIterator()
        await requests.next()
        for trigger in [TableTrigger.open, .close, .open] { service.record(trigger) }
        time.withLock { $0 += SourceCheck.minimumInterval + 1 }
        server.answerAll()
        var triggers = signals.makeAsyncIterator()
        #expect(await triggers.next() == .launch)
        time.withLock { $0 += SourceCheck.minimumInterval + 1 }
        service.record(.foreground)
        #expect(await triggers.next() == .foreground)
        #expect(await service.library.policy.errors == 2)
        await service.shutDown()
    }
}
