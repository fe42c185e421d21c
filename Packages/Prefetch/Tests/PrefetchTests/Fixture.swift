// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import BaseTesting
import Foundation
import HTTPTypes
import ResourceLoading

@testable import Prefetch

/// A prefetch loader with an upstream and a clock that a test controls.
struct Fixture {
    static let url = "https://m.example.com/help/new?id=7"
    static let api = "https://m.example.com/api?id=7"

    let upstream = Upstream()
    let clock = ManualClock()
    let loader: PrefetchLoader
    let page = PageReference(id: PageID(rawValue: 1), documentURL: url)

    init(
        _ completing: any PrefetchCompleting = FixedFields(),
        _ change: (inout PrefetchLoader.Configuration) -> Void = { _ in }
    ) {
        var configuration = PrefetchLoader.Configuration()
        change(&configuration)
        loader = PrefetchLoader(
            next: upstream, completing: completing, configuration: configuration, clock: clock)
    }

    static func requests(
        _ interfaces: String = #"{"api":"https://m.example.com/api","urlParam":true}"#
    ) throws -> [PrefetchRequest] {
        try PrefetchTable(json: TableTests.table(interfaces)).requests(for: url)
    }

    /// Opens the page and starts its prefetch requests.
    func open(_ interfaces: String = #"{"api":"https://m.example.com/api","urlParam":true}"#) throws {
        loader.prefetch(try Self.requests(interfaces), for: page)
    }

    /// Returns a request of the page.
    func own(
        _ url: String = Fixture.api, _ method: HTTPRequest.Method = .get, body: ResourceBody = .empty,
        fields: HTTPFields = FixedFields().fields, page: PageReference? = nil,
        confidence: PageAttribution.Confidence = .exact
    ) throws -> ResourceRequest {
        guard let head = HTTPRequest(method: method, urlText: url, headerFields: fields) else {
            throw ResourceError(.invalidRequest, "no URL", at: url)
        }
        return ResourceRequest(
            head, body: body, destination: .subresource,
            page: PageAttribution(page ?? self.page, confidence: confidence))
    }

    /// Loads and reads a response, and returns its source and its body.
    func text(_ request: ResourceRequest) async throws -> String {
        guard let response = try await loader.load(request) else { return "nobody" }
        let body = try await response.body.collect(upTo: 1 << 20)
        return "\(response.provenance.source.rawValue): \(String(decoding: body, as: UTF8.self))"
    }
}
