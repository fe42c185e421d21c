// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Packaging) import PackageFormat
import ResourceLoading
import Testing

@_spi(Facade) @testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct UpdateUrgencyTests {
    @Test func wantedUpdateRequiresNetworkAndMemory() {
        #expect(UpdateUrgency.wanted.obstacle(in: .favourable) == nil)
        #expect(
            UpdateUrgency.wanted.obstacle(
                in: HostConditions(isIdle: false, network: .metered, power: .low, memory: .warning)) == nil)
        #expect(UpdateUrgency.wanted.obstacle(in: HostConditions(network: .unknown)) == nil)
        #expect(UpdateUrgency.wanted.obstacle(in: HostConditions(network: .none)) != nil)
        #expect(UpdateUrgency.wanted.obstacle(in: HostConditions(memory: .critical)) != nil)
    }

    @Test(arguments: [
        HostConditions(isIdle: false), HostConditions(network: .metered), HostConditions(network: .none),
        HostConditions(network: .unknown), HostConditions(power: .low),
        HostConditions(memory: .warning), HostConditions(memory: .critical),
    ])
    func convenientUpdateRequiresAllConditions(_ device: HostConditions) {
        #expect(UpdateUrgency.whenConvenient.obstacle(in: device) != nil)
        #expect(UpdateUrgency.whenConvenient.obstacle(in: HostConditions()) == nil)
    }

    @Test(arguments: [
        ("2.10", "2.9", false), ("2.10", "2.10.0", true), ("2", "2.0.1", false), ("3", "2.99.99", false),
        ("0", "0.0", true),
    ])
    func comparesHostVersionsByNumber(_ left: String, _ right: String, _ areEqual: Bool) throws {
        let (first, second) = try (#require(HostVersion(left)), #require(HostVersion(right)))
        #expect((first == second) == areEqual)
        #expect((first < second) == (!areEqual && left == "2"))
    }

    @Test(arguments: ["", "1.", ".1", "1.x", "-1", "1.1234567890"])
    func invalidHostVersions(_ text: String) {
        #expect(HostVersion(text) == nil)
    }
}
