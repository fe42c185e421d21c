// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@Suite("Broadcasts", .timeLimit(.minutes(1)))
struct BroadcastTests {
    @Test("All subscribers receive all elements that are sent after their subscription")
    func order() async {
        let broadcast = Broadcast<Int>(capacity: 8)
        let first = broadcast.subscribe()
        broadcast.send(1)
        let second = broadcast.subscribe(startingWith: [0])
        broadcast.send(2)
        broadcast.finish()
        #expect(await first.reduce(into: []) { $0.append($1) } == [1, 2])
        #expect(await second.reduce(into: []) { $0.append($1) } == [0, 2])
        #expect(broadcast.dropped == 0 && broadcast.subscriberCount == 0)
    }

    @Test("A slow subscriber loses its oldest elements, and each loss is counted")
    func drops() async {
        let broadcast = Broadcast<Int>(capacity: 2)
        let stream = broadcast.subscribe(startingWith: [1, 2, 3])
        broadcast.send(4)
        #expect(broadcast.dropped == 2)
        broadcast.finish()
        #expect(await stream.reduce(into: []) { $0.append($1) } == [3, 4])
    }

    @Test("A stream ends with its broadcast, and at once if the broadcast has already finished")
    func ends() async {
        var broadcast: Broadcast<Int>? = Broadcast(capacity: 2)
        let stream = broadcast?.subscribe()
        broadcast?.send(1)
        broadcast = nil
        #expect(await stream?.reduce(0, +) == 1)
        let finished = Broadcast<Int>(capacity: 2)
        finished.finish()
        #expect(await finished.subscribe().reduce(0, +) == 0)
    }

    @Test("A cancelled subscriber is removed")
    func forgetting() async {
        let broadcast = Broadcast<Int>(capacity: 2)
        let reader = Task { [stream = broadcast.subscribe()] in for await _ in stream {} }
        #expect(broadcast.subscriberCount == 1)
        reader.cancel()
        await reader.value
        #expect(broadcast.subscriberCount == 0)
    }
}
