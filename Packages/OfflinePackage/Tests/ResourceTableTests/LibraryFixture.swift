// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ContainerTesting
import Foundation
import HTTPTypes
import ResourceLoading

@testable import ResourceTable

/// A library whose dependencies a test controls.
final class LibraryFixture: Sendable {
    static let primary = "https://m.example.com/table"
    static let testMirror = "https://test.example.com/table.json"
    static let mirror = "https://mirror.example.com/table.json"

    let store = MemoryStore()
    let network = FakeNetwork()
    let conditions = FakeConditions()
    let clock = ManualClock()
    private let time = Mutex(Date(timeIntervalSince1970: 1_000_000))

    func endpoints() throws -> TableEndpoints {
        guard let primary = TableURL(Self.primary) else { throw CocoaError(.featureUnsupported) }
        return TableEndpoints(
            primary: primary, testMirror: TableURL(Self.testMirror), productionMirror: TableURL(Self.mirror))
    }

    func open(_ change: (inout TableLibrary.Configuration) -> Void = { _ in }) async throws -> TableLibrary {
        var configuration = TableLibrary.Configuration(endpoints: try endpoints())
        configuration.scope = TableScope(pages: ["cdn.example.com"], downloads: ["cdn.example.com"])
        change(&configuration)
        return try await TableLibrary(
            store: store, network: network, conditions: conditions, configuration: configuration, clock: clock,
            now: { [self] in time.withLock { $0 } })
    }

    /// Advances the wall clock.
    func pass(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }

    /// Publishes a table with its files on the primary and runs a check.
    @discardableResult
    func update(
        _ library: TableLibrary, to maker: TableMaker, _ trigger: TableTrigger = .open
    ) async throws -> TableCheckResult {
        network[Self.primary] = .bytes(maker.data)
        network.serve(maker)
        pass(30)
        return try await library.check(trigger)
    }

    func response(
        _ library: TableLibrary, _ url: String, _ method: HTTPRequest.Method = .get
    ) async throws -> ResourceResponse? {
        guard let head = HTTPRequest(method: method, urlText: url) else { return nil }
        return try await library.makeLoader().load(ResourceRequest(head))
    }

    func text(_ library: TableLibrary, _ url: String) async throws -> String? {
        guard let response = try await response(library, url) else { return nil }
        return String(decoding: try await response.body.collect(upTo: 1 << 20), as: UTF8.self)
    }
}
