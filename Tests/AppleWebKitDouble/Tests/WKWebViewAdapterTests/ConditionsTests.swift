// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Driver) import Network
import ResourceLoading
import Testing

@testable import WKWebViewAdapter

@MainActor
@Suite("Conditions of the device", .timeLimit(.minutes(1)), .serialized)
struct ConditionsTests {
    @Test("Expensive and constrained paths are metered, and a path without a state is not unmetered")
    func network() {
        let readings: [(PathReading, HostConditions.Network, HostConditions.NetworkKind)] = [
            (PathReading(status: .satisfied, type: .wifi), .unmetered, .wifi),
            (PathReading(status: .satisfied, type: .wiredEthernet), .unmetered, .wired),
            (PathReading(status: .satisfied, isExpensive: true, type: .wifi), .metered, .wifi),
            (PathReading(status: .satisfied, isExpensive: true, type: .cellular), .metered, .cellular),
            (PathReading(status: .satisfied, isConstrained: true, type: .wifi), .metered, .wifi),
            (PathReading(status: .satisfied, type: .other), .unmetered, .other),
            (PathReading(status: .satisfied), .unmetered, .unknown),
            (PathReading(status: .unsatisfied, type: .wifi), .none, .unknown),
            (PathReading(status: .requiresConnection, type: .cellular), .unknown, .unknown),
        ]
        for (reading, network, kind) in readings {
            #expect(reading.network == network && reading.kind == kind, "\(reading)")
        }
    }

    @Test("The engine reports each change of the path, and a released engine observes nothing")
    func changes() async throws {
        var engine: WKWebViewEngine? = WKWebViewEngine()
        var conditions = engine?.conditions
        #expect(conditions?.conditions == HostConditions(network: .unknown))
        let stream = try #require(conditions?.changes())
        var changes = stream.makeAsyncIterator()
        NWPathMonitor.set(NWPath(.satisfied, types: [.wifi, .other]))
        #expect(await changes.next() == HostConditions(kind: .wifi))
        NWPathMonitor.set(NWPath(.satisfied, isExpensive: true, types: [.cellular]))
        #expect(await changes.next() == HostConditions(network: .metered, kind: .cellular))
        NWPathMonitor.set(NWPath(.unsatisfied))
        #expect(await changes.next() == HostConditions(network: .none))
        #expect(conditions?.conditions == HostConditions(network: .none))
        engine = nil
        conditions = nil
        #expect(await changes.next() == nil)
    }
}
