// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct FlightTableTests {
    private let table = FlightTable()

    private func key(_ number: Int) -> CacheKey { CacheKey(partition: "", url: "https://a.test/\(number)") }

    /// Lets a flight of a key begin and end.
    private func fly(_ number: Int) {
        let flight = Flight(readAhead: 1)
        table.add(flight, for: key(number))
        table.remove(flight, for: key(number))
    }

    private func isOutdated(_ number: Int, seen: UInt64) -> Bool {
        guard case .isOutdated = table.enter(key(number), readAhead: 1, seen: seen) else { return false }
        return true
    }

    @Test("What was looked up is outdated by an end of its own key, not by others'")
    func outdated() {
        let seen = table.ended
        fly(1)
        #expect(!isOutdated(2, seen: seen))
        #expect(isOutdated(1, seen: seen))
        #expect(!isOutdated(1, seen: table.ended))
    }

    @Test("Ends that are no longer known count as the key's own")
    func forgotten() {
        let seen = table.ended
        fly(1)
        for number in 2...2_000 { fly(number) }
        #expect(isOutdated(1, seen: seen))
        #expect(!isOutdated(3_000, seen: table.ended))
    }
}
