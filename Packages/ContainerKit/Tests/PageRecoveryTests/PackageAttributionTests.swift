// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HTTPTypes
import ResourceLoading
import Testing
import WebEngine

@testable import PageRecovery

/// The attribution of blank pages to packages, without a package library.
@MainActor
@Suite("Attribution of blank pages to packages", .timeLimit(.minutes(1)))
struct PackageAttributionTests {
    private let stage = RecoveryStage()
    private let page = PageID(rawValue: 1)
    private let document = "https://shop.example/index.html"
    private let script = "https://shop.example/boot.js"
    private let shop = GenerationReference(package: "shop", number: 1)
    private let library = GenerationReference(package: "library", number: 2)

    /// Creates the package of the document, and a package of another site that the page has used.
    init() {
        let packages = stage.packages
        packages.documents[page] = document
        packages.generations = [shop, library]
        packages.bases = [shop: "https://shop.example/", library: "https://library.example/"]
        packages.files = [document: shop, script: shop, "https://library.example/a.js": library]
        packages.recorded = [library]
    }

    private func step(_ signal: BlankPageSignal, _ source: String? = nil) -> BlankPageStep {
        BlankPageStep(kind: .reloadedWithoutPackage, signal: signal, detail: "seen", number: 2, source: source)
    }

    private func drop(_ step: BlankPageStep, while isWanted: @MainActor () -> Bool = { true }) async -> Bool {
        await stage.monitor.dropPackages(of: page, for: step, while: isWanted)
    }

    private func record(_ url: String, _ status: HTTPResponse.Status, of page: PageID?) {
        let attribution = page.map { PageAttribution(PageReference(id: $0, documentURL: document), confidence: .exact) }
        var record = RequestRecord(from: .page, of: attribution, .get, url, isMainDocument: false)
        record.record(HTTPResponse(status: status), from: nil)
        record.record(.finished, bytes: 0)
        stage.monitor.receive(record)
    }

    @Test("An examination keeps only the findings for which the package of the document is responsible")
    func findings() async {
        let own = ScriptFailure(text: "own", file: script + "#part")
        let found = ProbeResult(
            bootErrors: [own, ScriptFailure(text: "other", file: "https://library.example/a.js")],
            failedResources: ["https://shop.example/gone.css", "https://library.example/gone.js"])
        let result = await stage.monitor.attribute(found, of: page)
        #expect(result.isPackaged && result.bootErrors == [own])
        #expect(result.failedResources == ["https://shop.example/gone.css"])
        stage.packages.documents[page] = nil
        let closed = await stage.monitor.attribute(found, of: page)
        #expect(!closed.isPackaged && closed.bootErrors.isEmpty && closed.failedResources.isEmpty)
    }

    @Test("A generation whose file the document has used is responsible although it does not provide the document")
    func used() async {
        stage.packages.files[document] = nil
        #expect(await drop(step(.emptyDocument)) == false)
        stage.packages.recorded = [shop]
        #expect(await drop(step(.emptyDocument)))
        #expect(stage.packages.generations == [library])
    }

    @Test("Evidence against a version unpins it, marks it as failed, and then repins the former version")
    func version() async {
        #expect(await drop(step(.bootError, script)))
        #expect(
            stage.packages.calls == [
                "repin", "changed", #"failed ["shop"] bootError: seen"#, "repin", "changed", "invalidate",
            ])
    }

    @Test("The end of a process unpins the version and marks no version as failed")
    func process() async {
        #expect(await drop(step(.processEnded)))
        #expect(stage.packages.calls == ["repin", "changed", "invalidate"])
    }

    @Test("No generation is unpinned if the page navigates, shares its generations, or is closed meanwhile")
    func kept() async {
        #expect(await drop(step(.emptyDocument)) { false } == false)
        #expect(stage.packages.calls.isEmpty)
        stage.packages.areShared = true
        #expect(await drop(step(.emptyDocument)) == false)
        #expect(stage.packages.calls == ["repin"])
        stage.packages.areShared = false
        stage.packages.onFailure = { [packages = stage.packages, page] in packages.documents[page] = nil }
        #expect(await drop(step(.emptyDocument)) == false)
        #expect(stage.packages.calls.last == #"failed ["shop"] emptyDocument: seen"#)
    }

    @Test("A resource counts if its last response was 404 or 410, an error if no request of the page has failed")
    func evidence() async throws {
        let url = "https://shop.example/gone.css"
        #expect(await drop(step(.failedResource, url)) == false)
        record(url, .notFound, of: nil)
        record(url, .ok, of: nil)
        #expect(await drop(step(.failedResource, url)) == false)
        record(url, .gone, of: nil)
        #expect(await drop(step(.failedResource, url)))
        stage.packages.generations = [shop, library]
        let opened = try stage.open(document)
        stage.load(document, in: opened.view)
        record("https://elsewhere.example/data", .serviceUnavailable, of: page)
        #expect(await drop(step(.bootError, script)) == false)
        stage.load(document, in: opened.view)
        #expect(await drop(step(.bootError, script)))
    }
}
