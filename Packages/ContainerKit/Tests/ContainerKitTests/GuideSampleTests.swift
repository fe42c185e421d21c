// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import HTTPTypes
import ResourceLoading
import SchemeRouter
import Testing
import WebEngineTesting

/// The samples of the guides.
@MainActor
@Suite("Samples of the guides", .timeLimit(.minutes(1)))
struct GuideSampleTests {
    private let fixture = Fixture()

    @Test("The sample of rule actions blocks, redirects, responds and sets fields")
    func ruleActions() async throws {
        let rules = try makeRules()
        let container = try await fixture.container(covering: ["shop.example", "api.shop.example"]) {
            $0.network.rules = rules
        }
        fixture.network.put(
            .bytes(Data("new".utf8)), at: "https://api.shop.example/v2/a?b", [.accessControlAllowOrigin: "*"])
        let page = try await container.open("https://shop.example/")
        let tracker = try await fixture.answer(to: "containerkit://tracker.example/t", from: page.view, of: container)
        #expect(tracker.sink.error?.code == .blocked)
        let flags = try await fixture.text("containerkit://shop.example/flags.json", from: page.view, of: container)
        #expect(flags == #"{"chat":false}"#)
        let moved = try await fixture.answer(
            to: "containerkit://old-api.shop.example/a?b", from: page.view, of: container)
        #expect(moved.record.status == .ok)
        #expect(fixture.network.urls == ["https://api.shop.example/v2/a?b"])
        #expect(fixture.network.requests.withLock { $0.last?.headerFields[.acceptLanguage] } == "de")
        // The page of another origin reads no fields.
        let api = try await container.open("https://api.shop.example/")
        let own = try await fixture.answer(to: "containerkit://api.shop.example/b", from: api.view, of: container)
        #expect(own.sink.fields[.cacheControl] == "no-cache")
        await container.shutDown()
    }

    @Test("The sample of host content answers stored images with ranges, and the network answers others")
    func hostContent() async throws {
        let folder = URL(fileURLWithPath: fixture.folder + "/images")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data("picture".utf8).write(to: folder.appendingPathComponent("cup.webp"))
        let images = StoredImages(folder: folder, names: ["cup.webp", "lost.webp"])
        let container = try await fixture.container(covering: ["shop.example"]) { $0.add(images) }
        let page = try await container.open("https://shop.example/")
        let cup = try await fixture.answer(
            to: "containerkit://img.shop.example/cup.webp", .get, [.range: "bytes=0-2"], from: page.view, of: container)
        #expect(cup.record.status == .partialContent && cup.sink.body == Data("pic".utf8))
        #expect(cup.record.provenance?.source == Provenance.Source(rawValue: "images"))
        #expect(fixture.network.urls.isEmpty)
        // A file that cannot be read, and an image that the app has not stored.
        for name in ["lost.webp", "other.webp"] {
            let image = try await fixture.answer(
                to: "containerkit://img.shop.example/\(name)", from: page.view, of: container)
            #expect(image.record.provenance?.source == .network, "\(name)")
        }
        #expect(
            fixture.network.urls == ["https://img.shop.example/lost.webp", "https://img.shop.example/other.webp"])
        await container.shutDown()
    }

    @Test("Content of the app has its place among packages and the network")
    func places() async throws {
        let host = try #require(HostPattern("shop.example"))
        struct Fixed: ResourceLoader {
            let text: String

            func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
                ResourceResponse(
                    head: HTTPResponse(status: .ok), body: .bytes(Data(text.utf8)),
                    provenance: Provenance(.memory, reason: "a test"))
            }
        }
        let first = HostContent(
            "first", for: [host], at: .beforePackages, contains: { $0.path == "/a.txt" }, loader: Fixed(text: "first"))
        let last = HostContent("last", for: [host], contains: { $0.path != "/c.txt" }, loader: Fixed(text: "last"))
        let content = [try #require(last), try #require(first)]
        let container = try await fixture.container(covering: ["shop.example"]) {
            $0.network.hostContent = content
        }
        try await fixture.install(["a.txt": "packed", "b.txt": "packed"], version: "1", into: container)
        let page = try await container.open("https://shop.example/")
        for (path, text) in [
            ("a.txt", "first"), ("b.txt", "packed"), ("d.txt", "last"), ("c.txt", "network https://shop.example/c.txt"),
        ] {
            #expect(
                try await fixture.text("containerkit://shop.example/\(path)", from: page.view, of: container) == text)
        }
        await container.shutDown()
    }
}
