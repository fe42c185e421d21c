// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import OfflinePackage
import PackageFormat
import ResourceLoading
import Testing

@_spi(Testing) @testable import ContainerKit

@MainActor
@Suite("Events", .timeLimit(.minutes(1)))
struct EventHubTests {
    @Test("A slow subscriber loses the oldest events, which are counted; other subscribers lose none")
    func bounds() async {
        let hub = EventHub()
        let slow = hub.subscribe()
        for number in 1...5_000 { hub.send(.pageClosed(PageID(rawValue: UInt64(number)))) }
        #expect(hub.dropped == 5_000 - 4_096)
        for await event in slow {
            guard case .pageClosed(let id) = event else { return }
            #expect(id.rawValue == 5_000 - 4_096 + 1)
            break
        }
    }

    @Test("Only the first subscriber receives earlier package events")
    func early() async throws {
        let hub = EventHub()
        let ids = try (0...EventHub.earlyLimit).map { try PackageID("p\($0)") }
        for id in ids { hub.send(.package(.confirmed(id, try PackageVersion("1")))) }
        // The oldest event was dropped, but no subscriber has missed it.
        #expect(hub.dropped == 0)
        let first = hub.subscribe()
        let second = hub.subscribe()
        hub.send(.pageClosed(PageID(rawValue: 1)))
        var received: [PackageID] = []
        for await event in first {
            guard case .package(.confirmed(let id, _)) = event else { break }
            received.append(id)
        }
        #expect(received == Array(ids.dropFirst()))
        for await event in second {
            if case .package = event { Issue.record("not the first") }
            break
        }
    }

    @Test("An observer receives every event at once, and the first observer also receives earlier events")
    func observers() throws {
        let hub = EventHub()
        hub.send(.package(.confirmed(try PackageID("p"), try PackageVersion("1"))))
        var received: [Int] = []
        func record(_ event: ContainerEvent) {
            switch event {
            case .package: received.append(0)
            case .pageClosed(let id): received.append(Int(id.rawValue))
            default: break
            }
        }
        _ = hub.observe(record)
        #expect(received == [0])
        let second = hub.observe(record)
        #expect(received == [0])
        for number in 1...5_000 { hub.send(.pageClosed(PageID(rawValue: UInt64(number)))) }
        #expect(received == [0] + (1...5_000).flatMap { [$0, $0] } && hub.dropped == 0)
        second.end()
        received = []
        hub.send(.pageClosed(PageID(rawValue: 1)))
        #expect(received == [1])
    }

    @Test("Events that an observer causes are delivered after the event that caused them")
    func order() async {
        let hub = EventHub()
        var received: [[UInt64]] = [[], []]
        func record(_ event: ContainerEvent, _ index: Int) {
            guard case .pageClosed(let id) = event else { return }
            received[index].append(id.rawValue)
            if index == 0, id.rawValue < 3 { hub.send(.pageClosed(PageID(rawValue: id.rawValue + 1))) }
        }
        _ = hub.observe { record($0, 0) }
        _ = hub.observe { record($0, 1) }
        let stream = hub.subscribe()
        hub.send(.pageClosed(PageID(rawValue: 1)))
        #expect(received == [[1, 2, 3], [1, 2, 3]])
        var streamed: [UInt64] = []
        for await case .pageClosed(let id) in stream {
            streamed.append(id.rawValue)
            if id.rawValue == 3 { break }
        }
        #expect(streamed == [1, 2, 3])
    }

    @Test("An observation that ends during an event does not receive it; a new observation receives the next event")
    func endings() {
        let hub = EventHub()
        var received: [String] = []
        var observations: [EventObservation] = []
        observations.append(
            hub.observe { _ in
                received.append("first")
                guard observations.count == 3 else { return }
                observations[0].end()
                observations[1].end()
                observations.append(hub.observe { _ in received.append("late") })
            })
        observations.append(hub.observe { _ in received.append("second") })
        observations.append(hub.observe { _ in received.append("third") })
        hub.send(.pageClosed(PageID(rawValue: 1)))
        #expect(received == ["first", "third"])
        hub.send(.pageClosed(PageID(rawValue: 2)))
        #expect(received == ["first", "third", "third", "late"])
    }

    @Test("An observer that retains its own observation ends with the hub")
    func cycles() {
        final class Host {
            var observation: EventObservation?
        }
        weak var host: Host?
        do {
            let hub = EventHub()
            let one = Host()
            one.observation = hub.observe { _ in withExtendedLifetime(one) {} }
            host = one
        }
        #expect(host == nil)
    }

    @Test("A subscriber that stopped iterating is removed and loses nothing")
    func forgetting() async {
        let hub = EventHub()
        let stays = hub.subscribe()
        do { _ = hub.subscribe() }
        hub.send(.pageClosed(PageID(rawValue: 1)))
        hub.send(.pageClosed(PageID(rawValue: 2)))
        #expect(hub.subscriberCount == 1 && hub.dropped == 0)
        withExtendedLifetime(stays) {}
    }
}
