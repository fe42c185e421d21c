// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import ResourceLoading
import Testing

@testable import ContainerKit

@MainActor
@Suite("Events", .timeLimit(.minutes(1)))
struct EventHubTests {
    @Test("A slow subscriber loses the oldest events, which are counted; the others lose none")
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
}
