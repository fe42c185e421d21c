// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import ContainerTesting
import ContentDigest
import Foundation
import HTTPTypes
@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@testable import OfflinePackage

/// The responses of a package during its first download.
@Suite(.timeLimit(.minutes(1)))
struct ArrivalTests {
    let depot: Depot

    init() throws {
        depot = try Depot()
    }

    /// Lets other tasks run, or throws if the test is cancelled.
    private func turn() async throws {
        try Task.checkCancellation()
        await Task.yield()
    }

    @Test func servesReceivedFilesUntilInstalled() async throws {
        let site = largeSite()
        let manifest = try depot.publish(site, version: "1")
        let ends = manifest.files.compactMap { file in file.slice.map { (file.path.description, $0.end) } }
            .sorted { $0.1 < $1.1 }
        let cut = Int(ends[20].1) + 100
        let archive = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")), turns: [.stall(cut)])
        var configuration = try depot.configuration()
        configuration.routes = [try archive.route("/shop-1.zip")]
        try await Network.run(configuration) { (network) async throws in
            let clock = ManualClock()
            let updater = depot.updater(network) { $0.downloads.clock = clock }
            let loader = PartialLoader(updater)
            async let update = updater.update(from: network.source())
            try await depot.downloaded(cut)
            // The loader is informed shortly after the bytes are on disk.
            while try await depot.get(ends[20].0, by: loader) == nil { try await turn() }
            #expect(depot.library.installed == [])
            for (index, (path, _)) in ends.enumerated() {
                let answer = try await depot.get(path, by: loader)
                #expect(answer == (index <= 20 ? site[path] : nil), "\(path)")
            }
            let head = try #require(HTTPRequest(urlText: "https://shop.example/\(ends[0].0)?x=1"))
            let response = try #require(try await loader.load(ResourceRequest(head)))
            #expect(response.provenance.source == .package && response.provenance.generation == nil)
            #expect(response.head.headerFields[.eTag] == "\"\(SHA256Digest(of: try #require(site[ends[0].0])))\"")
            #expect(response.head.headerFields[.cacheControl] == "no-cache")
            for method in [HTTPRequest.Method.head, .post] {
                var request = head
                request.method = method
                let answer = try await loader.load(ResourceRequest(request))
                #expect((answer == nil) == (method == .post))
                // The loader's response to HEAD has the body, which the pipeline removes in its last step.
                if let answer { #expect(answer.body.length == response.body.length) }
            }
            #expect(try await depot.get("none.js", by: loader) == nil)
            // The bytes on disk are not trusted. If a file does not match the manifest, the loader returns no response,
            // and the network is used.
            let name = try #require(try depot.folder.names(below: "store/downloads").first { $0.hasSuffix(".part") })
            let part = try FileHandle(forUpdating: URL(filePath: depot.folder.path + "/store/downloads/" + name))
            let slice = try #require(manifest.files.first { $0.path.description == ends[3].0 }?.slice)
            let place = UInt64(slice.offset + slice.size / 2)
            try part.seek(toOffset: place)
            let byte = try #require(try part.read(upToCount: 1))
            try part.seek(toOffset: place)
            try part.write(contentsOf: Data([byte[0] ^ 1]))
            #expect(try await depot.get(ends[3].0, by: loader) == nil)
            try part.seek(toOffset: place)
            try part.write(contentsOf: byte)
            try part.close()

            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(30))
            #expect(try await update.outcome == .activated)
            #expect(try await depot.get(ends[0].0, by: loader) == nil)
            #expect(try await depot.serves(site))
        }
    }

    @Test func servesFilesOfEarlierProcess() async throws {
        let site = largeSite()
        let manifest = try depot.publish(site, version: "1")
        let file = try #require(manifest.files.min { ($0.slice?.end ?? .max) < ($1.slice?.end ?? .max) })
        let archive = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")), turns: [.stall(1_000_000), .stall(0)])
        var configuration = try depot.configuration()
        configuration.routes = [try archive.route("/shop-1.zip")]
        try await Network.run(configuration) { (network) async throws in
            for isAgain in [false, true] {
                // A manual clock prevents stall time-outs.
                let updater = depot.updater(network) { $0.downloads.clock = ManualClock() }
                let update = Task { try await updater.update(from: network.source()) }
                if !isAgain { try await depot.downloaded(1_000_000) }
                let loader = PartialLoader(updater)
                while try await depot.get(file.path.description, by: loader) == nil { try await turn() }
                // In the second process, files on disk are served before the remaining bytes are requested.
                while archive.ranges.count < (isAgain ? 2 : 1) { try await turn() }
                update.cancel()
                await #expect(throws: CancellationError.self) { try await update.value }
            }
            #expect(archive.ranges == ["bytes=0-", "bytes=1000000-"])
        }
    }

    @Test func manifestWithoutSlicesServesNothing() async throws {
        try depot.publish(largeSite(), version: "1") { manifest in manifest = manifest.withoutSlices() }
        let archive = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/shop-1.zip")), turns: [.stall(1_000_000)])
        var configuration = try depot.configuration()
        configuration.routes = [try archive.route("/shop-1.zip")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network)
            let task = Task { try await updater.update(from: network.source()) }
            try await depot.downloaded(1_000_000)
            for path in largeSite().keys {
                #expect(try await depot.get(path, by: PartialLoader(updater)) == nil)
            }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    @Test func pageOnRemovedVersionGetsNoOtherFiles() async throws {
        let old = ["index.html": Data("old".utf8)]
        try depot.publish(old, version: "1")
        let site = largeSite()
        let archive = try depot.publish(site, id: "next", version: "2")
        let file = try #require(archive.files.min { ($0.slice?.end ?? .max) < ($1.slice?.end ?? .max) })
        let stalled = OriginFile(
            try Data(contentsOf: URL(filePath: depot.www + "/next-2.zip")), turns: [.stall(1_000_000)])
        var configuration = try depot.configuration()
        configuration.routes = [try stalled.route("/shop-2.zip")]
        try await Network.run(configuration) { (network) async throws in
            let updater = depot.updater(network) { $0.downloads.clock = ManualClock() }
            let loader = PartialLoader(updater)
            let package = try #require(try await updater.update(from: network.source()).package)
            func page(_ number: UInt64) -> PageReference {
                let id = PageID(rawValue: number)
                return PageReference(
                    id: id, documentURL: "https://shop.example/", generations: depot.library.pin(id))
            }
            func get(_ page: PageReference, _ confidence: PageAttribution.Confidence = .exact) async throws -> Data? {
                let head = try #require(HTTPRequest(urlText: "https://shop.example/\(file.path)"))
                let request = ResourceRequest(head, page: PageAttribution(page, confidence: confidence))
                return try await loader.load(request)?.body.collect(upTo: 64 << 20)
            }
            let staying = page(1)
            #expect(staying.generations == [package.generation])
            try await updater.remove(package.id)
            let fresh = page(2)
            let idle = page(3)
            #expect(fresh.generations == [] && idle.generations == [])
            try depot.publish(site, version: "2")
            let update = Task { try await updater.update(from: network.source()) }
            try await depot.downloaded(1_000_000)
            while try await get(fresh) == nil { try await turn() }
            #expect(try await get(fresh) == site[file.path.description])
            #expect(try await get(staying) == nil)
            #expect(try await get(staying, .inferred) != nil)
            update.cancel()
            await #expect(throws: CancellationError.self) { try await update.value }
            // A page that used files of an incomplete version does not pin that version.
            try depot.publish(["index.html": Data("third".utf8)], version: "3")
            let third = try #require(try await updater.update(from: network.source()).package)
            #expect(depot.library.generations(of: fresh.id) == [])
            #expect(depot.library.generations(of: idle.id) == [third.generation])
            for (page, answer) in [(fresh, nil), (idle, Data("third".utf8))] {
                let head = try #require(HTTPRequest(urlText: "https://shop.example/index.html"))
                let request = ResourceRequest(head, page: PageAttribution(page, confidence: .exact))
                let response = try await PackageLoader(depot.library).load(request)
                #expect(try await response?.body.collect(upTo: 1 << 20) == answer)
            }
        }
    }
}
