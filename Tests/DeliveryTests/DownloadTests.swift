// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct DownloadTests {
    let folder: TemporaryFolder
    let content = text(100_000, seed: 1)

    init() throws {
        folder = try TemporaryFolder()
    }

    func downloader(
        _ network: Network, _ configuration: PackageUpdater.Configuration.Downloads = promptly()
    ) -> PackageDownloader {
        PackageDownloader(loader: network.loader, directory: folder.path + "/downloads", configuration: configuration)
    }

    func download(_ network: Network, knowsDigest: Bool = true, content: Data? = nil) -> PackageDownload {
        let content = content ?? self.content
        return PackageDownload(
            url: network.server.url + "/a.zip", size: knowsDigest ? Int64(content.count) : nil,
            sha256: knowsDigest ? SHA256Digest(of: content) : nil)
    }

    /// Downloads from a server that stalls after 40,000 bytes, and cancels the download.
    func interrupt(_ downloader: PackageDownloader, _ download: PackageDownload) async {
        let (arrived, continuation) = AsyncStream.makeStream(of: Int64.self)
        let task = Task { try await downloader.download(download) { continuation.yield($0.received) } }
        _ = await arrived.first { $0 == 40_000 }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    func bytes(_ archive: DownloadedArchive) throws -> Data {
        try Data(contentsOf: URL(filePath: archive.path))
    }

    @Test func firstRequestHasRange() async throws {
        let file = OriginFile(content)
        try await Network.run(file) { (network) async throws in
            let seen = Mutex<[PackageDownloadProgress]>([])
            let downloader = downloader(network)
            let archive = try await downloader.download(download(network)) { progress in
                seen.withLock { $0.append(progress) }
            }
            #expect(try bytes(archive) == content)
            #expect(archive.traffic.requests == 1 && archive.traffic.bytes == 100_000)
            #expect(file.ranges == ["bytes=0-"])
            #expect(file.requests[0].headers[.acceptEncoding] == "identity")
            #expect(file.requests[0].headers[.ifRange] == nil)
            let received = seen.withLock { $0.map(\.received) }
            #expect(received == received.sorted() && received.last == 100_000)
            #expect(seen.withLock { $0.allSatisfy { $0.total == 100_000 } })
            // The archive remains until it is discarded, and is not downloaded again.
            #expect(try await downloader.download(download(network)).traffic.requests == 0)
            downloader.discard(download(network))
            #expect(try folder.names(below: "downloads") == [])
        }
    }

    @Test(arguments: [true, false])
    func resumesAfterRestart(_ knowsDigest: Bool) async throws {
        let file = OriginFile(content, turns: [.stall(40_000)])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: knowsDigest))
            let archive = try await downloader(network).download(download(network, knowsDigest: knowsDigest))
            #expect(try bytes(archive) == content)
            #expect(file.ranges == ["bytes=0-", "bytes=40000-"])
            #expect(file.requests[1].headers[.ifRange] == "\"1\"")
            #expect(archive.traffic.bytes == 60_000)
        }
    }

    @Test(arguments: [false, true])
    func doesNotResumeWithWeakValidator(_ knowsDigest: Bool) async throws {
        let file = OriginFile(content, eTag: "W/\"1\"", turns: [.stall(40_000)])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: knowsDigest))
            let archive = try await downloader(network).download(download(network, knowsDigest: knowsDigest))
            #expect(try bytes(archive) == content)
            // With the digest of the archive, a mixture of two files would be detected, so the download resumes.
            #expect(file.ranges == ["bytes=0-", knowsDigest ? "bytes=40000-" : "bytes=0-"])
            #expect(file.requests[1].headers[.ifRange] == nil)
        }
    }

    @Test func restartsIfServerIgnoresRanges() async throws {
        let file = OriginFile(content, turns: [.stall(40_000), .ignoreRange])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network))
            let archive = try await downloader(network).download(download(network))
            #expect(try bytes(archive) == content)
            #expect(archive.traffic.requests == 1 && archive.traffic.bytes == 100_000)
        }
    }

    @Test(arguments: [false, true])
    func changedFileIsNotMixed(_ honoursIfRange: Bool) async throws {
        let other = text(90_000, seed: 2)
        let file = OriginFile(
            content, turns: [.stall(40_000), .change(other, eTag: "\"2\"")] + (honoursIfRange ? [] : [.ignoreIfRange]))
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: false))
            let archive = try await downloader(network).download(download(network, knowsDigest: false))
            #expect(try bytes(archive) == other)
        }
    }

    @Test func dropsPartOfOtherRepresentation() async throws {
        let file = OriginFile(content, turns: [.stall(40_000), .answer(Self.foreignPart)])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: false))
            let archive = try await downloader(network).download(download(network, knowsDigest: false))
            #expect(try bytes(archive) == content)
            #expect(file.ranges == ["bytes=0-", "bytes=40000-", "bytes=0-"])
        }
    }

    static let foreignPart = OriginResponse(
        .partialContent, headers: [.eTag: "\"9\"", .contentRange: "bytes 40000-99999/100000"],
        body: .bytes(Data(count: 60_000)))

    @Test(arguments: ["bytes 0-59999/100000", "bytes 40000-99999/100001", "bytes 40000-99999", "items 1-2/3"])
    func dropsWrongRanges(_ field: String) async throws {
        let wrong = OriginResponse(
            .partialContent, headers: [.eTag: "\"1\"", .contentRange: field], body: .bytes(Data(count: 60_000)))
        let file = OriginFile(content, turns: [.stall(40_000), .answer(wrong)])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: false))
            #expect(try bytes(try await downloader(network).download(download(network, knowsDigest: false))) == content)
            #expect(file.ranges.last == "bytes=0-")
        }
    }

    @Test func restartsIfFileBecameShorter() async throws {
        let short = text(30_000, seed: 3)
        let gone = OriginResponse(.rangeNotSatisfiable, headers: [.contentRange: "bytes */30000"])
        let file = OriginFile(content, turns: [.stall(40_000), .answer(gone), .change(short, eTag: "\"3\"")])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network, knowsDigest: false))
            let archive = try await downloader(network).download(download(network, knowsDigest: false))
            #expect(try bytes(archive) == short)
        }
    }

    @Test func resumesAfterStall() async throws {
        let file = OriginFile(content, turns: [.stall(40_000)])
        try await Network.run(file) { (network) async throws in
            let clock = ManualClock()
            var configuration = promptly()
            configuration.clock = clock
            let (arrived, continuation) = AsyncStream.makeStream(of: Int64.self)
            let downloader = downloader(network, configuration)
            async let archive = downloader.download(download(network)) { continuation.yield($0.received) }
            _ = await arrived.first { $0 == 40_000 }
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(30))
            #expect(try bytes(await archive) == content)
            #expect(file.ranges == ["bytes=0-", "bytes=40000-"])
        }
    }

    @Test func resumesAfterBrokenConnections() async throws {
        // Each attempt makes progress, so the limit of five attempts without progress does not apply.
        let file = OriginFile(content, turns: (0..<9).map { _ in .cut(10_000) })
        try await Network.run(file) { (network) async throws in
            let archive = try await downloader(network).download(download(network))
            #expect(try bytes(archive) == content)
            #expect(archive.traffic.requests == 10 && archive.traffic.bytes == 100_000)
        }
    }

    @Test func failsAfterBreaksWithoutProgress() async throws {
        let file = OriginFile(content, turns: (0..<40).map { _ in .cut(0) })
        try await Network.run(file) { (network) async throws in
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(download(network))
            }
            #expect(error?.code == .network && error?.location == network.server.url + "/a.zip")
            #expect(file.requests.count == 5)
        }
    }

    @Test(arguments: [true, false])
    func tooManyBytes(_ knowsDigest: Bool) async throws {
        let file = OriginFile(content, turns: [.long(1)])
        try await Network.run(file) { (network) async throws in
            var configuration = promptly()
            if !knowsDigest { configuration.sizeLimit = 100_000 }
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network, configuration).download(download(network, knowsDigest: knowsDigest))
            }
            #expect(error?.code == .tooLarge)
        }
    }

    /// A part with an unknown total size may declare any end.
    @Test(arguments: [true, false])
    func partWithWrongEnd(_ knowsDigest: Bool) async throws {
        let part = OriginResponse(
            .partialContent, headers: [.contentRange: "bytes 0-9223372036854775806/*"],
            body: .bytes(content + Data(count: 1)))
        let file = OriginFile(content, turns: [.answer(part)])
        try await Network.run(file) { (network) async throws in
            var configuration = promptly()
            if !knowsDigest { configuration.sizeLimit = 100_000 }
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network, configuration).download(download(network, knowsDigest: knowsDigest))
            }
            #expect(error?.code == .tooLarge)
        }
    }

    @Test func sizeDiffersFromManifest() async throws {
        let file = OriginFile(content)
        try await Network.run(file) { (network) async throws in
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(download(network, content: content.dropLast()))
            }
            #expect(error?.code == .digestMismatch && file.requests.count == 1)
        }
    }

    @Test func fetchesDamagedBytesOnceMore() async throws {
        let once = OriginFile(content, turns: [.flip])
        try await Network.run(once) { (network) async throws in
            #expect(try bytes(try await downloader(network).download(download(network))) == content)
            #expect(once.ranges == ["bytes=0-", "bytes=0-"])
        }
        try FileManager.default.removeItem(atPath: folder.path + "/downloads")
        let always = OriginFile(content, turns: [.flip, .flip, .flip])
        try await Network.run(always) { (network) async throws in
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(download(network))
            }
            #expect(error?.code == .digestMismatch && always.requests.count == 2)
        }
    }

    @Test func digestDetectsMixture() async throws {
        // The server has no strong validator, and its file changes during the download.
        let file = OriginFile(
            text(100_000, seed: 9), eTag: nil, turns: [.stall(40_000), .change(content, eTag: "W/\"2\"")])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network))
            #expect(try bytes(try await downloader(network).download(download(network))) == content)
            #expect(file.ranges == ["bytes=0-", "bytes=40000-", "bytes=0-"])
        }
    }

    @Test(arguments: [404, 403, 410])
    func permanentStatuses(_ code: Int) async throws {
        let file = OriginFile(content, turns: [.answer(OriginResponse(HTTPResponse.Status(code: code)))])
        try await Network.run(file) { (network) async throws in
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(download(network))
            }
            #expect(
                error?.code == .status && error?.message == "the server responded with status \(code)"
                    && file.requests.count == 1)
        }
    }

    @Test func waitsForRetryAfter() async throws {
        let busy = OriginResponse(.serviceUnavailable, headers: [.retryAfter: "120"])
        let file = OriginFile(content, turns: [.answer(busy)])
        try await Network.run(file) { (network) async throws in
            var configuration = promptly()
            let clock = ImmediateClock(holding: [.seconds(30), configuration.archiveLimit])
            configuration.clock = clock
            #expect(try bytes(try await downloader(network, configuration).download(download(network))) == content)
            #expect(clock.sleeps == [.seconds(120)])
        }
    }

    @Test func rejectsContentCodings() async throws {
        let coded = OriginResponse(headers: [.contentEncoding: "br"], body: .bytes(content))
        try await Network.run(OriginFile(content, turns: [.answer(coded)])) { (network) async throws in
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(download(network))
            }
            #expect(error?.code == .badAnswer)
        }
    }

    @Test func checksSpaceBeforeFetching() async throws {
        struct Full: SpaceMeasuring {
            func availableBytes(at folder: String) throws -> Int64 { 99_999 }
        }
        let file = OriginFile(content)
        try await Network.run(file) { (network) async throws in
            var configuration = promptly()
            configuration.space = Full()
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network, configuration).download(download(network))
            }
            #expect(error?.code == .noSpace && file.requests.isEmpty)
        }
        #expect(try FileSystemSpace().availableBytes(at: folder.path) > 0)
    }

    @Test func cancellationKeepsReceivedBytes() async throws {
        let file = OriginFile(content, turns: [.stall(40_000)])
        try await Network.run(file) { (network) async throws in
            let downloader = downloader(network)
            let what = download(network)
            await interrupt(downloader, what)
            let archive = try await downloader.download(what)
            #expect(file.ranges == ["bytes=0-", "bytes=40000-"])
            #expect(try bytes(archive) == content)
        }
    }

    @Test func limitsConcurrentAndWaitingDownloads() async throws {
        let gate = Gate()
        let files = (0..<4).map { _ in OriginFile(content, gate: gate) }
        let routes = try files.enumerated().map { try $1.route("/\($0).zip") }
        try await Network.run(OriginServer.Configuration(routes: routes)) { (network) async throws in
            var configuration = promptly()
            configuration.maxConcurrent = 2
            configuration.maxWaiting = 1
            let downloader = downloader(network, configuration)
            let digest = SHA256Digest(of: content)
            let url = network.server.url
            try await withThrowingTaskGroup(of: String.self) { group in
                for index in 0..<4 {
                    group.addTask {
                        do {
                            _ = try await downloader.download(
                                PackageDownload(url: "\(url)/\(index).zip", sha256: digest))
                            return "done"
                        } catch let error as DeliveryError {
                            return "\(error.code)"
                        }
                    }
                }
                await gate.waiting(atLeast: 2)
                // Two downloads are at the server, one is queued, and one was refused.
                let refused = try await group.next()
                #expect(refused == "queue-full")
                #expect(gate.waiting == 2)
                gate.open()
                while let outcome = try await group.next() { #expect(outcome == "done") }
            }
        }
    }

    @Test func downloadsOfOneFileRunSerially() async throws {
        let file = OriginFile(content)
        try await Network.run(file) { (network) async throws in
            let downloader = downloader(network)
            async let first = downloader.download(download(network))
            async let second = downloader.download(download(network))
            let traffic = try await (first.traffic, second.traffic)
            #expect(traffic.0.requests + traffic.1.requests == 1)
            #expect(file.requests.count == 1)
        }
    }

    @Test func followsRedirects() async throws {
        let file = OriginFile(content)
        let hop = OriginRoute(.get, try #require(OriginPathPattern("/old/a.zip"))) { _ in
            OriginResponse(.found, headers: [.location: "../a.zip"])
        }
        let loop = OriginRoute(.get, try #require(OriginPathPattern("/loop"))) { _ in
            OriginResponse(.found, headers: [.location: "/loop"])
        }
        try await Network.run(OriginServer.Configuration(routes: [try file.route("/a.zip"), hop, loop])) {
            (network) async throws in
            let archive = try await downloader(network).download(
                PackageDownload(url: network.server.url + "/old/a.zip"))
            #expect(try bytes(archive) == content)
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader(network).download(PackageDownload(url: network.server.url + "/loop"))
            }
            #expect(error?.code == .network)
        }
    }

    @Test func rejectsRedirectFromHTTPSToHTTP() async throws {
        struct Downgrade: ResourceLoader {
            func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                ResourceResponse(
                    head: HTTPResponse(status: .found, headerFields: [.location: "http://a.example/a.zip"]),
                    body: .empty, provenance: Provenance(.network, reason: "test"))
            }
        }
        let downloader = PackageDownloader(loader: Downgrade(), directory: folder.path, configuration: promptly())
        for url in ["https://a.example/a.zip", "ftp://a.example/a.zip", "a.zip"] {
            let error = await #expect(throws: DeliveryError.self) {
                try await downloader.download(PackageDownload(url: url))
            }
            #expect(error?.code == .badURL)
        }
    }

    @Test func staleDownloadsAreRemoved() async throws {
        let file = OriginFile(content, turns: [.stall(40_000)])
        try await Network.run(file) { (network) async throws in
            await interrupt(downloader(network), download(network))
            var configuration = promptly()
            configuration.retry.failures = 1
            let young = downloader(network, configuration)
            #expect(await young.removeStale() == 0)
            // An old download that was resumed recently is not stale.
            let names = try folder.names(below: "downloads")
            let record = try #require(names.first { $0.hasSuffix(".json") })
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -8 * 86_400)],
                ofItemAtPath: "\(folder.path)/downloads/\(record)")
            #expect(await young.removeStale() == 0)
            #expect(try folder.names(below: "downloads") == names)
            configuration.now = { Date(timeIntervalSinceNow: 8 * 86_400) }
            #expect(await downloader(network, configuration).removeStale() >= 40_000)
            #expect(try folder.names(below: "downloads") == [])
        }
    }
}
