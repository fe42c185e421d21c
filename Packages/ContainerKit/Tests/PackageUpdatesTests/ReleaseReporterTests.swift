// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import Foundation
import HTTPTypes
import Logging
import PackageFormat
import ResourceLoading
import SystemSupport
import Testing
import WebEngineTesting

@_spi(Facade) @testable import OfflinePackage
@testable import PackageUpdates
@testable import ResourceStore

/// Reports of releases over a network in memory.
@MainActor
@Suite("Reports of releases", .timeLimit(.minutes(1)))
struct ReleaseReporterTests {
    /// A server that records the requests. Without a status it responds to one request, on demand.
    private final class Server: ResourceLoader {
        let requests = Mutex<[(head: HTTPRequest, lines: [String])]>([])
        let status = Mutex<HTTPResponse.Status?>(.noContent)
        private let releases: AsyncStream<Void>
        private let release: AsyncStream<Void>.Continuation

        init() { (releases, release) = AsyncStream.makeStream() }

        func respond() { release.yield() }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
            let body = String(decoding: try await request.body.collect(upTo: 1 << 20), as: UTF8.self)
            requests.withLock { $0.append((request.head, body.split(separator: "\n").map(String.init))) }
            let status = status.withLock(\.self)
            if status == nil {
                for await _ in releases { break }
                try Task.checkCancellation()
            }
            return ResourceResponse(
                head: HTTPResponse(status: status ?? .ok), body: .empty,
                provenance: Provenance(.network, reason: "test"))
        }

        var batches: [[String]] { requests.withLock { $0.map(\.lines) } }
    }

    private static let url = "https://reports.example/releases"
    private let folder: TemporaryFolder
    private let store: BlobStore
    private let server = Server()
    private let conditions = ChangingConditions(HostConditions())
    private let clock = ManualClock()
    private let shop: PackageID

    init() throws {
        folder = try TemporaryFolder()
        store = try BlobStore(directory: folder.path + "/store")
        shop = try PackageID("shop")
    }

    /// Starts a reporter, like another process with the same store.
    private func reporter(
        share: Int = 1_000, at url: String = url, channel: String? = "beta", allowsInsecure: Bool = false,
        draw: @escaping @Sendable () -> Int = { 999 }
    ) async -> ReleaseReporter? {
        var options = ReleaseReports(url: url)
        options.share = share
        return await ReleaseReporter(
            options, channel: channel, store: store, network: server, allowsInsecure: allowsInsecure,
            conditions: conditions, logger: Logger(label: "test"), clock: clock, draw: draw)
    }

    private func confirmed(_ version: Int) throws -> PackageEvent { .confirmed(shop, try PackageVersion("\(version)")) }

    private func line(_ version: Int) -> String {
        #"{"channel":"beta","event":"confirmed","package":"shop","reason":null,"version":"\#(version)"}"#
    }

    private func stored() throws -> Int {
        try store.document("release-reports").map { try JSONDecoder().decode([ReleaseReport].self, from: $0).count }
            ?? 0
    }

    /// Waits for the request and the write that are in progress.
    private func settle(_ reporter: ReleaseReporter) async {
        while let task = reporter.sending ?? reporter.saving { await task.value }
    }

    // MARK: The reports

    private func change(
        _ reason: PackageScopeChange.Reason, from former: Int64?, to current: Int64?, _ version: String,
        failure: TrialFailure? = nil
    ) throws -> PackageEvent {
        .scopeChanged(
            PackageScopeChange(
                package: shop, baseURL: try PackageBaseURL("https://shop.example/"),
                former: former.map { GenerationReference(package: "shop", number: $0) },
                current: current.map { GenerationReference(package: "shop", number: $0) }, reason: reason,
                version: try PackageVersion(version), failure: failure))
    }

    private func failed(_ error: any Error, version: String? = nil, package: PackageID? = nil) throws -> PackageEvent {
        var failure = PackageFailure(error)
        if let version { (failure.package, failure.version) = (shop, try PackageVersion(version)) }
        return .updateFailed(
            PackageSource("https://user@packages.example/secret.json?token=1", package: package), failure)
    }

    @Test("Events are reported with codes, and without URLs, messages and paths")
    func format() async throws {
        let secret = "https://shop.example/account/7 /home/me"
        let events: [(PackageEvent, String?)] = [
            (
                try change(.activated, from: 1, to: 2, "2"),
                #""event":"installed","package":"shop","reason":null,"version":"2""#
            ),
            // The other base URL of the same activation.
            (try change(.activated, from: 1, to: nil, "2"), nil),
            (try confirmed(2), #""event":"confirmed","package":"shop","reason":null,"version":"2""#),
            (
                try change(.rolledBack(secret), from: 2, to: 1, "2", failure: .failed),
                #""event":"rolled-back","package":"shop","reason":"failed","version":"2""#
            ),
            (
                try change(.rolledBack(secret), from: 2, to: nil, "2", failure: .timedOut),
                #""event":"rolled-back","package":"shop","reason":"timed-out","version":"2""#
            ),
            (try change(.rolledBack(secret), from: nil, to: 1, "2", failure: .timedOut), nil),
            (try change(.removed, from: 2, to: nil, "2"), nil),
            (.quarantined(shop, try PackageVersion("2"), reason: secret), nil),
            (.waiting(PackageSource(secret), reason: secret), nil),
            (
                try failed(DeliveryError(.digestMismatch, secret, at: secret), version: "3"),
                #""event":"update-failed","package":"shop","reason":"digest-mismatch","version":"3""#
            ),
            (
                try failed(StoreError(.diskFull, secret, at: secret), package: shop),
                #""event":"update-failed","package":"shop","reason":"disk-full","version":null"#
            ),
            (
                try failed(DeliveryError(.network, secret, at: secret)),
                #""event":"update-failed","package":null,"reason":"network","version":null"#
            ),
            // Codes and errors of the app may contain any text.
            (
                try failed(DeliveryError(DeliveryError.Code(secret), ""), version: "4"),
                #""event":"update-failed","package":"shop","reason":"other","version":"4""#
            ),
            (
                try failed(EngineFailure(secret: secret), version: "5"),
                #""event":"update-failed","package":"shop","reason":"other","version":"5""#
            ),
            // These updates did not fail.
            (try failed(DeliveryError(.notNow, secret), version: "3"), nil),
            (try failed(DeliveryError(.noRelease, secret), package: shop), nil),
            (try failed(StoreError(.suspended, secret, at: secret), version: "3"), nil),
            (try failed(CancellationError(), version: "3"), nil),
        ]
        let reporter = try #require(await reporter(channel: nil))
        for (event, _) in events { reporter.record(event) }
        reporter.recordBackground()
        try await until { !server.batches.isEmpty }
        let lines = try #require(server.batches.first)
        #expect(lines == events.compactMap(\.1).map { #"{"channel":null,\#($0)}"# })
        await reporter.shutDown()
        let file = try #require(try store.document("release-reports"))
        let texts = lines + [String(decoding: file, as: UTF8.self)]
        #expect(!texts.contains { $0.contains("/") || $0.contains("secret") || $0.contains("token") })
    }

    private struct EngineFailure: Error {
        let secret: String
    }

    @Test("A report is drawn by a number of its own")
    func sampling() async throws {
        let numbers = Mutex([249, 250, 0, 999, 100])
        let reporter = try #require(await reporter(share: 250) { numbers.withLock { $0.removeFirst() } })
        for version in 1...5 { reporter.record(try confirmed(version)) }
        reporter.recordBackground()
        try await until { !server.batches.isEmpty }
        #expect(server.batches == [[line(1), line(3), line(5)]])
        await reporter.shutDown()
        let silent = try #require(await self.reporter(share: 0) { 0 })
        silent.record(try confirmed(1))
        await silent.shutDown()
        #expect(try stored() == 0)
    }

    // MARK: Batches

    @Test("A batch is sent when it is full, after five minutes, and in the background")
    func batches() async throws {
        let reporter = try #require(await reporter())
        for version in 1..<ReleaseReporter.batchLimit { reporter.record(try confirmed(version)) }
        await clock.sleepers(atLeast: 1)
        #expect(server.batches.isEmpty)
        reporter.record(try confirmed(ReleaseReporter.batchLimit))
        try await until { server.batches.count == 1 }
        #expect(server.batches[0] == (1...ReleaseReporter.batchLimit).map(line))
        let head = try #require(server.requests.withLock(\.first)?.head)
        #expect(head.method == .post && head.urlText == Self.url)
        #expect(head.headerFields == [.contentType: "application/x-ndjson"])
        await settle(reporter)
        #expect(try stored() == 0)
        // The timer begins with the first report.
        reporter.record(try confirmed(101))
        await clock.sleepers(atLeast: 1)
        clock.advance(by: ReleaseReporter.delay - .seconds(1))
        reporter.record(try confirmed(102))
        #expect(server.batches.count == 1)
        clock.advance(by: .seconds(1))
        try await until { server.batches.count == 2 }
        #expect(server.batches[1] == [line(101), line(102)])
        await settle(reporter)
        #expect(try stored() == 0)
        reporter.record(try confirmed(103))
        reporter.recordBackground()
        try await until { server.batches.count == 3 }
        #expect(server.batches[2] == [line(103)])
        await settle(reporter)
        #expect(try stored() == 0)
        reporter.recordBackground()
        await reporter.shutDown()
        #expect(server.batches.count == 3 && clock.sleeperCount == 0)
    }

    @Test("After a failure the reports stay, and nothing is sent for half an hour")
    func failure() async throws {
        server.status.withLock { $0 = .internalServerError }
        let reporter = try #require(await reporter())
        reporter.record(try confirmed(1))
        reporter.recordBackground()
        try await until { reporter.isHeld }
        // The timer of the next attempt.
        await clock.sleepers(atLeast: 1)
        for version in 2...40 { reporter.record(try confirmed(version)) }
        reporter.recordBackground()
        clock.advance(by: ReleaseReporter.retryDelay - .seconds(1))
        try await until { try stored() == 40 }
        #expect(server.batches.count == 1)
        server.status.withLock { $0 = .ok }
        clock.advance(by: .seconds(1))
        try await until { server.batches.count == 2 }
        #expect(server.batches[1] == (1...32).map(line))
        try await until { try stored() == 8 }
        await reporter.shutDown()
    }

    @Test("A redirect is a failure, and so is a server that does not respond in time")
    func noSuccess() async throws {
        for status in [HTTPResponse.Status.movedPermanently, nil] {
            server.status.withLock { $0 = status }
            server.requests.withLock { $0 = [] }
            let reporter = try #require(await reporter())
            reporter.record(try confirmed(1))
            reporter.recordBackground()
            try await until { server.batches.count == 1 }
            if status == nil {
                await clock.sleepers(atLeast: 1)
                clock.advance(by: .seconds(30))
            }
            try await until { reporter.isHeld }
            reporter.recordBackground()
            await reporter.shutDown()
            #expect(try server.batches.count == 1 && stored() > 0)
        }
    }

    @Test("Without a network nothing is sent, and the oldest reports are dropped")
    func limits() async throws {
        conditions.set(HostConditions(network: .none))
        let reporter = try #require(await reporter())
        for version in 1...200 { reporter.record(try confirmed(version)) }
        reporter.recordBackground()
        await clock.sleepers(atLeast: 1)
        clock.advance(by: ReleaseReporter.delay)
        await clock.sleepers(atLeast: 1)
        #expect(server.batches.isEmpty)
        try await until { try stored() == ReleaseReporter.storedLimit }
        conditions.set(HostConditions(network: .metered))
        clock.advance(by: ReleaseReporter.delay)
        try await until { server.batches.count == 4 }
        #expect(server.batches.allSatisfy { $0.count == ReleaseReporter.batchLimit })
        #expect(server.batches.flatMap(\.self) == (73...200).map(line))
        await settle(reporter)
        #expect(try stored() == 0)
        await reporter.shutDown()
    }

    @Test("Reports that are dropped during a request are not removed twice")
    func overflow() async throws {
        server.status.withLock { $0 = nil }
        let reporter = try #require(await reporter())
        for version in 1...32 { reporter.record(try confirmed(version)) }
        try await until { server.batches.count == 1 }
        for version in 33...(ReleaseReporter.storedLimit + 40) { reporter.record(try confirmed(version)) }
        // All reports of the batch have been dropped.
        server.status.withLock { $0 = .ok }
        server.respond()
        try await until { server.batches.count == 5 }
        #expect(server.batches.dropFirst().flatMap(\.self) == (41...168).map(line))
        await settle(reporter)
        #expect(try stored() == 0)
        await reporter.shutDown()
    }

    @Test("An equal failed update is reported once in a batch")
    func repeatedFailure() async throws {
        let reporter = try #require(await reporter())
        for _ in 1...40 { reporter.record(try failed(DeliveryError(.network, ""), package: shop)) }
        reporter.recordBackground()
        try await until { server.batches.count == 1 }
        #expect(server.batches[0].count == 1)
        await settle(reporter)
        #expect(try stored() == 0)
        reporter.record(try failed(DeliveryError(.network, ""), package: shop))
        await reporter.shutDown()
        #expect(try stored() == 1)
    }

    // MARK: Processes

    @Test("A kill loses no report, and a sent report is not sent again")
    func kill() async throws {
        var reporter: ReleaseReporter? = await reporter()
        reporter?.record(try confirmed(1))
        reporter?.record(try confirmed(2))
        try await until { try stored() == 2 }
        // Without an orderly end.
        reporter = nil
        try await until { clock.sleeperCount == 0 }
        let next = try #require(await self.reporter())
        await clock.sleepers(atLeast: 1)
        clock.advance(by: ReleaseReporter.delay)
        try await until { server.batches.count == 1 }
        #expect(server.batches == [[line(1), line(2)]])
        await next.shutDown()
        #expect(try stored() == 0)
        let last = try #require(await self.reporter())
        last.recordBackground()
        await last.shutDown()
        #expect(server.batches.count == 1)
    }

    @Test("The end of the process cancels the request, and the reports stay")
    func shutDown() async throws {
        server.status.withLock { $0 = nil }
        let reporter = try #require(await reporter())
        reporter.record(try confirmed(1))
        reporter.recordBackground()
        try await until { server.batches.count == 1 }
        await reporter.shutDown()
        reporter.record(try confirmed(2))
        #expect(try stored() == 1 && clock.sleeperCount == 0)
    }

    @Test("Reports that a suspended store refused are stored after the suspension")
    func suspension() async throws {
        let reporter = try #require(await reporter())
        reporter.record(try confirmed(1))
        try await until { try stored() == 1 }
        try store.suspend()
        reporter.record(try confirmed(2))
        await settle(reporter)
        try store.resume()
        #expect(try stored() == 1)
        reporter.save()
        try await until { try stored() == 2 }
        await reporter.shutDown()
    }

    @Test("Reports are not sent over http to other machines")
    func urls() async throws {
        for url in ["http://reports.example/", "reports.example", "", "file:///reports", "containerkit://a.example/"] {
            #expect(await reporter(at: url) == nil, "\(url)")
        }
        #expect(await reporter(at: "file://localhost/reports", allowsInsecure: true) == nil)
        #expect(await reporter(at: "http://localhost:8080/reports") != nil)
        #expect(await reporter(at: "http://reports.example/", allowsInsecure: true) != nil)
    }
}
