// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import OfflinePackage

@Suite(.timeLimit(.minutes(1)))
struct UpdateUrgencyTests {
    struct Device: HostConditions {
        var isIdle = true
        var network = NetworkKind.unmetered
        var isLowOnPower = false
        var memoryPressure = MemoryPressure.normal
    }

    @Test func whatIsWantedNeedsANetworkAndMemory() {
        #expect(UpdateUrgency.wanted.obstacle(in: UnconditionalHost()) == nil)
        #expect(
            UpdateUrgency.wanted.obstacle(
                in: Device(isIdle: false, network: .metered, isLowOnPower: true, memoryPressure: .warning)) == nil)
        #expect(UpdateUrgency.wanted.obstacle(in: Device(network: .none)) != nil)
        #expect(UpdateUrgency.wanted.obstacle(in: Device(memoryPressure: .critical)) != nil)
    }

    @Test(arguments: [
        Device(isIdle: false), Device(network: .metered), Device(network: .none), Device(isLowOnPower: true),
        Device(memoryPressure: .warning), Device(memoryPressure: .critical),
    ])
    func convenienceNeedsAllOfIt(_ device: Device) {
        #expect(UpdateUrgency.whenConvenient.obstacle(in: device) != nil)
        #expect(UpdateUrgency.whenConvenient.obstacle(in: Device()) == nil)
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
    func whatIsNoVersion(_ text: String) {
        #expect(HostVersion(text) == nil)
    }
}
