// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import Testing

@testable import HTTPCache

@Suite(.timeLimit(.minutes(1)))
struct FlightTableTests {
    private let table = FlightTable()

    private func key(_ number: Int) -> CacheKey { CacheKey(partition: "", url: "https://a.test/\(number)") }

    /// Adds a flight of a key and removes it.
    private func startFlight(_ number: Int) {
        let reader = table.addAlone(key(number), readAhead: 1)
        table.remove(reader.flight, for: key(number))
    }

    private func isOutdated(_ number: Int, seen: UInt64) -> Bool {
        guard case .isOutdated = table.enter(key(number), readAhead: 1, seen: seen) else { return false }
        return true
    }

    @Test("A look-up is outdated by an ended flight of its own key, not of other keys")
    func outdated() {
        let seen = table.ended
        startFlight(1)
        #expect(!isOutdated(2, seen: seen))
        #expect(isOutdated(1, seen: seen))
        #expect(!isOutdated(1, seen: table.ended))
    }

    @Test("Ended flights that are no longer tracked count for every key")
    func forgotten() {
        let seen = table.ended
        startFlight(1)
        for number in 2...2_000 { startFlight(number) }
        #expect(isOutdated(1, seen: seen))
        #expect(!isOutdated(3_000, seen: table.ended))
    }
}
