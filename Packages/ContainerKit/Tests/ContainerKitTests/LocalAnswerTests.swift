// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerKit
import Foundation
import HTTPTypes
import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing
import WebEngineTesting

/// HTTP semantics of packages, previews and the network, through the whole pipeline.
@MainActor
@Suite("Local responses of a container", .timeLimit(.minutes(1)))
struct LocalAnswerTests {
    private let fixture = Fixture()
    private let url = "containerkit://shop.example/a.txt"

    private func container() async throws -> Container<FakeEngine> {
        let container = try await fixture.container(covering: ["shop.example"])
        try await fixture.install(["a.txt": "0123456789"], version: "1", into: container)
        return container
    }

    @Test("A packaged file has a strong entity tag, and a matching If-None-Match gets 304")
    func validation() async throws {
        let container = try await container()
        let whole = try await fixture.answer(to: url, of: container)
        #expect(whole.sink.status == 200 && whole.sink.body == Data("0123456789".utf8))
        #expect(whole.sink.fields[.contentLength] == "10" && whole.sink.fields[.acceptRanges] == "bytes")
        #expect(whole.sink.fields[.xContentTypeOptions] == "nosniff")
        let tag = try #require(whole.sink.fields[.eTag])
        #expect(tag.hasPrefix("\"") && tag.utf8.count == 66)
        let same = try await fixture.answer(to: url, .get, [.ifNoneMatch: "W/\(tag), \"x\""], of: container)
        #expect(same.sink.status == 304 && same.sink.body.isEmpty && same.record.provenance?.source == .package)
    }

    @Test("A range of a packaged file is served from the package")
    func ranges() async throws {
        let container = try await container()
        let part = try await fixture.answer(to: url, .get, [.range: "bytes=2-4"], of: container)
        #expect(part.sink.status == 206 && part.sink.body == Data("234".utf8))
        #expect(part.sink.fields[.contentRange] == "bytes 2-4/10" && fixture.network.urls.isEmpty)
        let none = try await fixture.answer(to: url, .get, [.range: "bytes=10-"], of: container)
        #expect(none.sink.status == 416)
    }

    @Test(
        "Paths without a file go to the server, or to a folder's index or a page of that name if the app configures it")
    func pathsWithoutFiles() async throws {
        for isOn in [false, true] {
            let fixture = Fixture()
            let container = try await fixture.container(covering: ["shop.example"]) {
                $0.packages.fileAnswers.redirectsToFolders = isOn
                $0.packages.fileAnswers.addsHTMLExtension = isOn
            }
            try await fixture.install(
                ["help/index.html": "<p>help", "about.html": "<p>about"], version: "1", into: container)
            let page = try await fixture.answer(to: "containerkit://shop.example/about", of: container)
            #expect(page.sink.body == Data((isOn ? "<p>about" : "network https://shop.example/about").utf8))
            _ = try await fixture.answer(to: "containerkit://shop.example/help", of: container)
            #expect(fixture.network.urls == (isOn ? [] : ["https://shop.example/about", "https://shop.example/help"]))
            await container.shutDown()
        }
    }

    @Test("Responses of the network are unchanged, and the network receives the conditional fields")
    func network() async throws {
        let container = try await container()
        let answer = try await fixture.answer(
            to: "containerkit://shop.example/b.txt", .get, [.range: "bytes=0-1", .ifNoneMatch: "*"], of: container)
        #expect(answer.sink.status == 200 && answer.sink.fields[.acceptRanges] == nil)
        #expect(fixture.network.requests.withLock { $0.last?.headerFields[.range] } == "bytes=0-1")
        // Requests for a packaged file with other methods go to the server.
        _ = try await fixture.answer(to: url, .options, of: container)
        #expect(fixture.network.requests.withLock { $0.last?.method } == .options)
    }

    @Test("A folder preview handles conditions and ranges, a server preview does not")
    func previews() async throws {
        let container = try await container()
        try Data("0123456789".utf8).write(to: URL(filePath: fixture.folder + "/p.txt"))
        container.mount(Preview(.folder(fixture.folder), over: try PackageBaseURL("https://shop.example/f/")))
        container.mount(
            Preview(
                .server(try PackageBaseURL("http://127.0.0.1:5173/")),
                over: try PackageBaseURL("https://shop.example/s/")))
        let part = try await fixture.answer(
            to: "containerkit://shop.example/f/p.txt", .get, [.range: "bytes=-2"], of: container)
        #expect(part.sink.status == 206 && part.sink.body == Data("89".utf8))
        let whole = try await fixture.answer(
            to: "containerkit://shop.example/s/p.txt", .get, [.range: "bytes=-2"], of: container)
        #expect(whole.sink.status == 200 && whole.sink.fields[.acceptRanges] == nil)
    }
}
