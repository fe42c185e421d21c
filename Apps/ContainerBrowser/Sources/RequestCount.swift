// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// Requests by provenance. One that got no answer counts as failed and nowhere else; an error status is an answer.
struct RequestCount: Encodable, Sendable {
    var package = 0
    var prefetch = 0
    var memory = 0
    var disk = 0
    var network = 0
    var synthetic = 0
    var failed = 0
    /// The bytes of answers from the network, those fetched ahead among them; `nil` where the engine does not know of one.
    private(set) var announcedNetworkBytes: Int64? = 0
    /// Answers with an error status; they are counted by their provenance too.
    var errorStatuses = 0
    /// What failed or was answered with an error status, without the queries.
    private(set) var failures: [String] = []

    private enum CodingKeys: CodingKey {
        case package, prefetch, memory, disk, network, synthetic, failed
    }

    init() {}

    /// - Parameters:
    ///   - records: what came through the container.
    ///   - engine: what the engine loaded itself.
    ///   - sizes: of bodies in bytes, by URL, where the page measured them.
    init(_ records: [RequestRecord], engine: [EngineResource], sizes: [String: Int64]) {
        for record in records { count(record) }
        for resource in engine { count(resource, size: resource.length ?? sizes[resource.url]) }
    }

    private mutating func count(_ record: RequestRecord) {
        if case .failed = record.outcome { return fail(record.url) }
        guard let provenance = record.provenance else { return }
        count(status: record.status?.code ?? 0, of: record.url)
        switch provenance.source {
        case .package: package += 1
        case .prefetch:
            prefetch += 1
            // It was fetched ahead, and came over the network all the same.
            announcedNetworkBytes = announcedNetworkBytes.map { $0 + record.bytes }
        case .memory: memory += 1
        case .disk: disk += 1
        case .synthetic: synthetic += 1
        case .network:
            network += 1
            announcedNetworkBytes = announcedNetworkBytes.map { $0 + record.bytes }
        default: break
        }
    }

    private mutating func count(_ resource: EngineResource, size: Int64?) {
        // Engines give the status 0 to what never got an answer.
        guard let status = resource.status, status > 0, resource.failure == nil else { return fail(resource.url) }
        count(status: status, of: resource.url)
        network += 1
        announcedNetworkBytes = size.flatMap { size in announcedNetworkBytes.map { $0 + size } }
    }

    private mutating func fail(_ url: String) {
        failed += 1
        failures.append(String(url.prefix { $0 != "?" }))
    }

    private mutating func count(status: Int, of url: String) {
        guard status >= 400 else { return }
        errorStatuses += 1
        failures.append(String(url.prefix { $0 != "?" }))
    }
}
