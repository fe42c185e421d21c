// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// Request counts by provenance. A request without a response counts as failed only; a response with an error status
/// does not count as failed.
struct RequestCount: Encodable, Sendable {
    var package = 0
    var prefetch = 0
    var memory = 0
    var disk = 0
    var network = 0
    var synthetic = 0
    var failed = 0
    /// The bytes of responses from the network, including prefetched responses, or `nil` if the size of a response is
    /// unknown.
    private(set) var announcedNetworkBytes: Int64? = 0
    /// The number of responses with an error status. The counts by provenance include these responses.
    var errorStatuses = 0
    /// The URLs without queries of requests that failed or received an error status.
    private(set) var failures: [String] = []

    private enum CodingKeys: CodingKey {
        case package, prefetch, memory, disk, network, synthetic, failed
    }

    init() {}

    /// Counts the requests.
    /// - Parameters:
    ///   - records: Requests through the container.
    ///   - engine: Requests of the engine itself.
    ///   - sizes: The sizes of bodies in bytes, by URL, if the page measured them.
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
            // A prefetched response also came from the network.
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
        // The engine reports the status 0 for a request without a response.
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
