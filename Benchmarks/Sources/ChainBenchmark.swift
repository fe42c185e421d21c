// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CAllocationCount
internal import CommandSupport
internal import ContainerKit
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading
internal import SchemeRouter

/// Measures the complete processing of a request for a packaged file, from the request of ``SilentEngine`` to the
/// response head. The container has an observer of events, and the files fit in memory.
@MainActor
struct ChainBenchmark {
    private static let files = 50
    private static let requests = 20_000
    let sample: SamplePackage
    let folder: ScratchFolder

    func run() async throws -> [Comparison] {
        let target = try folder.subfolder("chain")
        defer { folder.remove(target) }
        let engine = SilentEngine()
        var configuration = ContainerConfiguration(directory: target + "/store")
        configuration.network.cookies.native = .none
        configuration.network.transport = NoTransport()
        let container = try await Container(engine: engine, configuration: configuration)
        try await container.install(archive: sample.archive, manifest: sample.manifest)
        let events = container.events
        let listener = Task {
            var requests = 0
            for await case .request in events { requests += 1 }
            return requests
        }
        let page = try await container.open(sample.url(of: "index.html"))
        let heads = sample.paths.prefix(Self.files).compactMap { path in
            HTTPRequest(
                urlText: sample.url(of: path).replacing("https://", with: "containerkit://", maxReplacements: 1))
        }
        _ = try await measure(heads, times: 10, from: engine)
        let costs = try await measure(heads, times: Self.requests / Self.files, from: engine)
        await container.close(page)
        listener.cancel()
        var results = [
            Comparison(
                name: "whole chain, request to head, p50", reference: "–",
                ours: Stopwatch.median(costs.map { $0.time / .microseconds(1) }), theirs: nil, unit: "µs", bar: 15)
        ]
        if allocation_count() >= 0 {
            results.append(
                Comparison(
                    name: "whole chain, request to head, p50 of allocations", reference: "–",
                    ours: Stopwatch.median(costs.map { Double($0.allocations) }), theirs: nil, unit: "blocks", bar: 24))
        }
        return results
    }

    private func measure(
        _ heads: [HTTPRequest], times rounds: Int, from engine: SilentEngine
    ) async throws -> [SilentEngine.Cost] {
        var costs: [SilentEngine.Cost] = []
        costs.reserveCapacity(heads.count * rounds)
        for _ in 0..<rounds {
            for head in heads { costs.append(try await engine.head(answering: head)) }
        }
        return costs
    }
}

/// A transport without a network.
struct NoTransport: HTTPTransporting {
    let capabilities: TransportCapabilities = .decodes

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        throw ResourceError(.offline, "no network here", at: request.urlText)
    }
}
