// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import BaseTesting
    import ResourceLoading
    import Testing

    @testable import WebKitGTKAdapter

    /// The interpretation of reports. `engine-harness conditions` reads them from mock services on a system bus.
    @Suite("Conditions of the device", .timeLimit(.minutes(1)))
    @MainActor
    struct GIOConditionsTests {
        @Test("A network is unmetered only if NetworkManager reports it")
        func network() {
            let readings: [(NetworkReading, HostConditions.Network)] = [
                (NetworkReading(), .unknown),
                (NetworkReading(connectivity: 4), .unknown),
                (NetworkReading(connectivity: 4, metered: 0), .unknown),
                (NetworkReading(connectivity: 4, metered: 1), .metered),
                (NetworkReading(connectivity: 4, metered: 2), .unmetered),
                (NetworkReading(connectivity: 4, metered: 3), .metered),
                (NetworkReading(connectivity: 4, metered: 4), .unmetered),
                (NetworkReading(connectivity: 0, metered: 2), .unmetered),
                (NetworkReading(connectivity: 1, metered: 2), .none),
                (NetworkReading(connectivity: 1, metered: 1), .none),
                (NetworkReading(connectivity: 2, metered: 2), .unknown),
                (NetworkReading(connectivity: 3, metered: 4), .unknown),
                (NetworkReading(connectivity: 3, metered: 1), .metered),
                (NetworkReading(connectivity: .max, metered: .max), .unknown),
            ]
            for (reading, network) in readings { #expect(reading.network == network, "\(reading)") }
        }

        @Test("The kind of a network is that of the connection with the default route")
        func kind() {
            let kinds: [(String?, HostConditions.NetworkKind)] = [
                (nil, .unknown), ("", .unknown), ("802-3-ethernet", .wired), ("802-11-wireless", .wifi),
                ("gsm", .cellular), ("cdma", .cellular), ("vpn", .other), ("bridge", .other),
            ]
            for (type, kind) in kinds { #expect(NetworkReading(primaryType: type).kind == kind, "\(type ?? "-")") }
        }

        @Test("Memory is normal again when no warning arrived for 15 seconds")
        func memory() async {
            let clock = ManualClock()
            let conditions = GIOConditions(clock: clock)
            var changes = conditions.changes().makeAsyncIterator()
            #expect(conditions.conditions == HostConditions(network: .unknown))
            conditions.receive(memoryWarning: 50)
            #expect(await changes.next()?.memory == .warning)
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(14))
            conditions.receive(memoryWarning: 255)
            #expect(await changes.next()?.memory == .critical)
            // The former wait has ended, and a new one begins.
            await clock.sleepers(atLeast: 1)
            clock.advance(by: .seconds(14))
            #expect(conditions.conditions.memory == .critical)
            clock.advance(by: .seconds(1))
            #expect(await changes.next()?.memory == .normal)
        }
    }
#endif
