// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Foundation
import HTTPSemantics
import HTTPTransport
import HTTPTypes
import ResourceLoading
import SchemeMode
import SchemeRouter
import Testing
import WebEngine
import WebEngineTesting

@testable import RequestPipeline

@MainActor
@Suite("Custom-scheme requests", .timeLimit(.minutes(1)))
struct SchemeRequestHandlerTests {
    /// A host that records the calls of the handler, in order.
    private final class RecordedHost: RequestDeliveryHost {
        var calls: [String] = []
        var records: [RequestRecord] = []
        var page: PageSession?
        var diverted: ResourceResponse?
        var downloadEpoch = 0
        /// A closure that is called for each record.
        var onRecord: () -> Void = {}

        func session(of view: ViewID) -> PageSession? { page?.view == view ? page : nil }

        func documentRequested(by request: EngineRequest, of page: PageSession?) { calls.append("document") }

        func requestBegan(in view: ViewID?) -> PageID? {
            calls.append("began")
            return page?.id
        }

        func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession?) {
            calls.append("received \(response.head.status.code)")
        }

        func requestEnded(_ record: RequestRecord, pendingFor page: PageID?) {
            calls.append(page == nil ? "ended" : "ended pending")
            records.append(record)
            onRecord()
        }

        func prepare(_ page: PageSession?, for response: ResourceResponse) async { calls.append("prepare") }

        func divert(
            _ response: ResourceResponse, to request: EngineRequest, isDocument: Bool, of page: PageSession?,
            askedIn epoch: Int
        ) -> ResourceResponse? { diverted }
    }

    private struct Network: HTTPTransporting {
        var capabilities: TransportCapabilities { .decodes }

        func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
            guard request.path != "/refused" else { throw ResourceError(.tls, "refused", at: request.urlText) }
            return TransportResponse(head: HTTPResponse(status: .ok), body: .bytes(Data("network".utf8)))
        }
    }

    /// A source with one file in memory.
    private struct MemorySource: ContentSource, ResourceLoader {
        var feature: FeatureSwitch? { nil }
        var semantics: SemanticsLoader.Options { SemanticsLoader.Options() }

        func loader(for traits: EngineTraits) -> (any ResourceLoader)? { self }

        func covers(_ request: HTTPRequest) -> Bool { request.urlText == "https://a.example/a.txt" }

        func mayServe(originOf request: HTTPRequest) -> Bool { true }

        func load(_ request: ResourceRequest) async throws -> ResourceResponse? { response(to: request) }

        func immediateResponse(to request: ResourceRequest) -> ImmediateResult { .known(response(to: request)) }

        private func response(to request: ResourceRequest) -> ResourceResponse? {
            guard covers(request.head) else { return nil }
            return ResourceResponse(
                head: HTTPResponse(status: .ok, headerFields: [.contentType: "text/plain"]),
                body: .bytes(Data("packaged".utf8)), provenance: Provenance(.package, reason: "a test"))
        }
    }

    private let host = RecordedHost()
    private let engine = FakeEngine()
    private let view = FakeView(id: ViewID(rawValue: 1))
    private let handler: SchemeRequestHandler

    init() throws {
        let traits = engine.traits(in: .customScheme)
        let sources = ContentSources([MemorySource()])
        let policy = InterceptionPolicy(
            rules: ActiveRules(.none), hosts: [try #require(HostPattern("a.example"))], sources: sources, origins: nil,
            modes: try PageModes(.customScheme))
        let path = RequestHandler(
            .init(
                names: .standard, traits: traits, sources: sources, network: NetworkLoader(Network()), cache: nil,
                cacheSwitch: FeatureSwitch(), isCacheOfOthers: false, cookies: nil, engineCookies: nil,
                prefetch: nil),
            policy: policy, checkedBytes: 1 << 20, transferField: nil)
        handler = SchemeRequestHandler(
            path, cookies: nil, isOfPages: true, forcedBridges: [], legacyMessages: nil,
            bodyBudget: ByteBudget(limit: 1 << 20), host: host)
        host.page = PageSession(
            id: PageID(rawValue: 1), documentURL: "https://a.example/", view: view.id, mode: .customScheme,
            generations: [])
        try engine.register(CustomScheme(name: SchemeNames.standard.secure, isSecure: true)) { [handler] in
            handler.answer($0, to: $1)
        }
    }

    /// Sends a request, and returns when its record exists.
    private func send(_ path: String, isMainDocument: Bool = false) async -> FakeSink {
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        host.onRecord = { end.finish() }
        let sink = engine.send("containerkit://a.example\(path)", from: view, isMainDocument: isMainDocument)
        for await _ in ends {}
        return sink
    }

    @Test("A response in memory is delivered and recorded before the engine's call returns")
    func immediate() throws {
        let sink = engine.send("containerkit://a.example/a.txt", from: view)
        #expect(sink.status == 200 && sink.text == "packaged" && sink.hasEnded)
        #expect(host.calls == ["received 200", "ended"])
        let record = try #require(host.records.first)
        #expect(record.url == "https://a.example/a.txt" && record.page == host.page?.id && record.bytes == 8)
    }

    @Test("A document is pending until its response is delivered, and the page is prepared before the delivery")
    func pending() async {
        let sink = await send("/", isMainDocument: true)
        #expect(sink.text == "network")
        #expect(host.calls == ["document", "began", "prepare", "received 200", "ended pending"])
        #expect(host.records.first?.isMainDocument == true && host.records.first?.provenance?.source == .network)
    }

    @Test("A response that is saved is replaced by the response of the download")
    func diverted() async {
        host.diverted = ResourceResponse(
            head: HTTPResponse(status: .noContent), body: .empty, provenance: Provenance(.synthetic, reason: "saved"))
        #expect(await send("/", isMainDocument: true).status == 204)
        #expect(host.calls.contains("received 204"))
    }

    @Test("A request that is not intercepted or fails ends with a record, and a document records its reason")
    func failed() async {
        let refusal = engine.send("containerkit://b.example/", from: nil)
        await refusal.end()
        #expect(refusal.error?.code == .invalidRequest)
        #expect(await send("/refused", isMainDocument: true).error?.code == .tls)
        #expect(host.records.count == 2)
        let failure = EngineError(.loadFailed, "failed")
        #expect(handler.failures.explained(failure, of: "https://a.example/refused").code == .tls)
        #expect(handler.failures.explained(failure, of: "https://b.example/").code == .loadFailed)
    }
}
