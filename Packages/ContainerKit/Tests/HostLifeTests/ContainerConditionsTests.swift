// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import HostLife
import ResourceLoading
import Testing
import WebEngine
import WebEngineTesting

@Suite("Conditions of a container", .timeLimit(.minutes(1)))
struct ContainerConditionsTests {
    @Test("A container is idle if the device and the container are idle")
    func idleness() async {
        let device = ChangingConditions(HostConditions(network: .metered, kind: .cellular))
        let container = ContainerConditions(device, unknownNetwork: .unknown)
        var changes = container.changes().makeAsyncIterator()
        #expect(container.conditions == HostConditions(isIdle: false, network: .metered, kind: .cellular))
        container.setIdle(true)
        #expect(await changes.next() == HostConditions(network: .metered, kind: .cellular))
        // The same value again is no change.
        container.setIdle(true)
        device.set(HostConditions(isIdle: false))
        #expect(await changes.next() == HostConditions(isIdle: false))
        device.set(HostConditions())
        #expect(await changes.next() == HostConditions())
        #expect(container.conditions.allowsBackgroundTransfers)
    }

    @Test(
        "A network of unknown cost allows no background transfers, unless the host states its cost",
        arguments: [HostConditions.Network.unknown, .unmetered, .metered])
    func unknownNetwork(_ stated: HostConditions.Network) {
        let container = ContainerConditions(
            ChangingConditions(HostConditions(network: .unknown)), unknownNetwork: stated)
        container.setIdle(true)
        #expect(container.conditions.network == stated)
        #expect(container.conditions.allowsBackgroundTransfers == (stated == .unmetered))
        let known = ContainerConditions(ChangingConditions(HostConditions(network: .none)), unknownNetwork: stated)
        #expect(known.conditions.network == .none)
    }

    @Test("A stream ends with the conditions")
    func end() async {
        let device = ChangingConditions(HostConditions())
        var container: ContainerConditions? = ContainerConditions(device, unknownNetwork: .unknown)
        var changes = container?.changes().makeAsyncIterator()
        container = nil
        #expect(await changes?.next() == nil)
    }

    @MainActor
    @Test("Memory is released each time its pressure increases, and changes of the network are reported")
    func memory() async {
        let conditions = ChangingConditions(HostConditions())
        let (releases, release) = AsyncStream.makeStream(of: MemoryPressure.self)
        var released = releases.makeAsyncIterator()
        var changes = 0
        let monitor = HostConditionsMonitor(conditions) {
            release.yield($0)
        } networkChanged: {
            changes += 1
        }
        conditions.set(HostConditions(memory: .warning))
        #expect(await released.next() == .warning)
        conditions.set(HostConditions(isIdle: false, memory: .warning))
        conditions.set(HostConditions(memory: .critical))
        #expect(await released.next() == .critical)
        #expect(changes == 0)
        conditions.set(HostConditions(network: .metered))
        conditions.set(HostConditions(network: .metered, kind: .cellular, memory: .critical))
        #expect(await released.next() == .critical)
        conditions.set(HostConditions(network: .metered, kind: .cellular))
        conditions.set(HostConditions(network: .metered, kind: .cellular, memory: .critical))
        #expect(await released.next() == .critical)
        #expect(changes == 2)
        withExtendedLifetime(monitor) {}
    }
}
