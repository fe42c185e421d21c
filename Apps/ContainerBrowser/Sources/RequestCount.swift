// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading

/// Requests by provenance. One that got no answer, or an error status, counts as failed and nowhere else.
struct RequestCount: Encodable, Sendable {
    var package = 0
    var prefetch = 0
    var memory = 0
    var disk = 0
    var network = 0
    var synthetic = 0
    var failed = 0
    /// The sizes that the network's answers announced; `nil` where one did not.
    private(set) var announcedNetworkBytes: Int64? = 0
    /// What failed, without the queries.
    private(set) var failures: [String] = []

    private enum CodingKeys: CodingKey {
        case package, prefetch, memory, disk, network, synthetic, failed
    }

    init() {}

    /// - Parameters:
    ///   - records: what came through the container.
    ///   - engine: what the engine loaded itself.
    init(_ records: [RequestRecord], engine: [EngineResource], url: String, contained: Bool) {
        for record in records { count(record) }
        for resource in engine { count(resource) }
    }

    private mutating func count(_ record: RequestRecord) {
        if case .failed = record.outcome { return fail(record.url) }
        guard let provenance = record.provenance else { return }
        if (record.status?.code ?? 0) >= 400 { return fail(record.url) }
        switch provenance.source {
        case .package: package += 1
        case .prefetch: prefetch += 1
        case .memory: memory += 1
        case .disk: disk += 1
        case .synthetic: synthetic += 1
        case .network:
            network += 1
            announcedNetworkBytes = announcedNetworkBytes.map { $0 + record.bytes }
        }
    }

    private mutating func count(_ resource: EngineResource) {
        guard resource.failure == nil, let status = resource.status, status < 400 else { return fail(resource.url) }
        network += 1
        announcedNetworkBytes = resource.length.flatMap { length in announcedNetworkBytes.map { $0 + length } }
    }

    private mutating func fail(_ url: String) {
        failed += 1
        failures.append(String(url.prefix { $0 != "?" }))
    }
}
