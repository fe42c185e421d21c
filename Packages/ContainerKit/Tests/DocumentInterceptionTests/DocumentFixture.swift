// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Foundation
import HTTPTypes
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@testable import DocumentInterception

/// A pipeline in memory. It gives documents of `shop.example` and holds the URLs that contain `held`.
final class FakePipeline: DocumentPipeline {
    private let responses: [String: ResourceResponse]
    /// The errors of requests by URL.
    @MainActor var errors: [String: ResourceError] = [:]
    private let ruledURLs = Mutex<Set<String>>([])
    /// The URLs to which rules determine the response.
    var ruled: Set<String> {
        get { ruledURLs.withLock(\.self) }
        set { ruledURLs.withLock { $0 = newValue } }
    }
    let loader = FakeLoader()
    /// The opener of each request.
    @MainActor fileprivate(set) var openers: [String?] = []

    init(_ responses: [String: ResourceResponse]) {
        self.responses = responses
    }

    func givesDocument(at url: String) -> Bool { url.hasPrefix("https://shop.example/") }

    func holds(_ url: String, for page: PageReference) -> Bool { url.contains("held") }

    private let rules = Mutex<String?>(nil)
    /// The content rules of all pages but those of `plain.example`.
    var contentRules: String? {
        get { rules.withLock(\.self) }
        set { rules.withLock { $0 = newValue } }
    }

    private let answered = Mutex<[String]>([])
    /// The URLs that rules answer.
    var answeredURLs: [String] {
        get { answered.withLock(\.self) }
        set { answered.withLock { $0 = newValue } }
    }

    func answeredURLs(ofPageAt url: String) -> [String] { answeredURLs }

    func blockingContentRules(forPageAt url: String) throws -> String? {
        url.hasPrefix("https://plain.example/") ? nil : contentRules
    }

    func hasRuledResponse(_ request: ResourceRequest) -> Bool { ruled.contains(request.head.urlText) }

    func answer(inPlaceOfEngine request: ResourceRequest, opener: String?) async throws -> ResourceResponse? {
        if let error = await record(opener, of: request.head.urlText) { throw error }
        _ = try await loader.load(request)
        return responses[request.head.urlText]
    }
}

extension FakePipeline {
    @MainActor fileprivate func record(_ opener: String?, of url: String) -> ResourceError? {
        openers.append(opener)
        return errors[url]
    }
}

/// The container's side, with one page at `https://shop.example/`.
@MainActor
final class FakeHost: DocumentHost {
    private let view: ViewID
    /// The URL of the page's document.
    var documentURL = "https://shop.example/"
    /// The number of received interim documents.
    private(set) var interimCount = 0
    private(set) var records: [(record: RequestRecord, page: PageID?)] = []

    init(_ view: FakeView) {
        self.view = view.id
    }

    var page: PageSession {
        PageSession(
            id: PageID(rawValue: 1), documentURL: documentURL, view: view, mode: .document, generations: [])
    }

    func session(of view: ViewID) -> PageSession? { page }

    func fileURLs(of page: PageID) async -> [String] { [] }

    var prefetchedURLs: [String] = []

    func prefetchedURLs(of page: PageID) -> [String] { prefetchedURLs }

    func packages(of page: PageID) -> [PagePackage] {
        [PagePackage(url: "https://shop.example/held/", isComplete: true)]
    }

    func requested(_ request: EngineRequest, of page: PageSession) {}

    func received(_ response: ResourceResponse, to request: EngineRequest, of page: PageSession) {
        if response.isInterim { interimCount += 1 }
    }

    func requestBegan(in view: ViewID) -> PageID? { page.id }

    func requestEnded(_ record: RequestRecord, pendingFor page: PageID?) { records.append((record, page)) }
}

extension ResourceResponse {
    /// Creates a response from a text.
    init(
        _ text: String, _ type: String, from source: Provenance.Source = .network, status: HTTPResponse.Status = .ok,
        _ fields: HTTPFields = [:]
    ) {
        var fields = fields
        fields[.contentType] = type
        self.init(
            head: HTTPResponse(status: status, headerFields: fields), body: .bytes(Data(text.utf8)),
            provenance: Provenance(source, reason: "a test"))
    }
}

/// A body that must not be read.
struct UnreadBody: AsyncSequence, AsyncIteratorProtocol, Sendable {
    func makeAsyncIterator() -> Self { self }

    mutating func next() async throws -> Data? {
        Issue.record("the body was read")
        return nil
    }
}
