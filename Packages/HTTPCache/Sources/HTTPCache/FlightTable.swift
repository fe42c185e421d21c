// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The flights under way, by key: of those that others may join at most one for each.
final class FlightTable: Sendable {
    enum Place {
        /// No one is under way: this reader's flight is in the table now and must be started.
        case leads(FlightReader)
        case joins(FlightReader)
        /// One is about to be stored.
        case ending(Flight)
        /// One is under way and cannot be joined.
        case closed
        /// One of the key has ended since the store was last asked.
        case isOutdated
    }

    private struct State {
        var flights: [CacheKey: Flight] = [:]
        /// Those that nobody can join.
        var alone: [CacheKey: [Flight]] = [:]
        var ended: UInt64 = 0
        /// What `ended` was after the last flight of each key, of those keys whose flights ended last.
        var lastEnds: [CacheKey: UInt64] = [:]
        /// The same of all others, at most.
        var otherEnds: UInt64 = 0

        mutating func recordEnd(of key: CacheKey) {
            ended += 1
            if lastEnds.count == FlightTable.endLimit {
                lastEnds = [:]
                otherEnds = ended
            }
            lastEnds[key] = ended
        }

        func hasEnded(_ key: CacheKey, since seen: UInt64) -> Bool { lastEnds[key] ?? otherEnds > seen }

        /// Lets nobody join the flights of a key any more.
        mutating func closeFlights(of key: CacheKey) -> [Flight] {
            if let flight = flights.removeValue(forKey: key) { alone[key, default: []].append(flight) }
            return alone[key] ?? []
        }
    }

    private let state = Mutex(State())

    /// Of how many keys it is known when their flights ended.
    private static let endLimit = 512

    /// How many flights have ended.
    var ended: UInt64 { state.withLock(\.ended) }

    /// - Parameter seen: what ``ended`` was before the store was asked; `nil` where that does not matter.
    func enter(_ key: CacheKey, readAhead: Int, seen: UInt64?) -> Place {
        state.withLock { state in
            if let flight = state.flights[key] {
                switch flight.join() {
                case .joined(let reader): return .joins(reader)
                case .ending: return .ending(flight)
                case .closed: return .closed
                }
            }
            if let seen, state.hasEnded(key, since: seen) { return .isOutdated }
            let flight = Flight(readAhead: readAhead)
            state.flights[key] = flight
            return .leads(flight.makeReader())
        }
    }

    /// Returns a flight of a key whose response has been received completely and is being stored, or `nil`. Flights that
    /// others cannot join count too, such as those of range requests.
    /// - Parameter responses: The responses that the store gave. A flight whose response is one of them is left out.
    func ending(_ key: CacheKey, notAmong responses: [StoredResponse]) -> Flight? {
        let flights = state.withLock { state in
            (state.flights[key].map { [$0] } ?? []) + (state.alone[key] ?? [])
        }
        return flights.first { $0.isEnding && !$0.isStored(among: responses) }
    }

    /// Returns a Boolean value that indicates whether a flight of a key has ended since ``ended`` had a value. It is also
    /// `true` if that is no longer known.
    func hasEnded(_ key: CacheKey, since seen: UInt64) -> Bool {
        state.withLock { $0.hasEnded(key, since: seen) }
    }

    /// Takes a flight that is over out of the table, where it is in it.
    func remove(_ flight: Flight, for key: CacheKey) {
        state.withLock { state in
            state.recordEnd(of: key)
            if state.flights[key] === flight { state.flights[key] = nil }
            let others = state.alone[key]?.filter { $0 !== flight } ?? []
            state.alone[key] = others.isEmpty ? nil : others
        }
    }

    /// Takes in a flight that nobody else can join.
    func add(_ flight: Flight, for key: CacheKey) {
        state.withLock { $0.alone[key, default: []].append(flight) }
    }

    /// Says of the flights of a key that what they bring is wrong already.
    func doom(_ key: CacheKey) {
        let flights = state.withLock { $0.closeFlights(of: key) }
        for flight in flights { flight.doom() }
    }

    /// Says so of all flights.
    func doomAll() {
        let flights = state.withLock { state in
            Set(state.flights.keys).union(state.alone.keys).flatMap { state.closeFlights(of: $0) }
        }
        for flight in flights { flight.doom() }
    }

    /// The flights that end without anyone's doing: what they bring has come and is being stored, or nobody wants it.
    var ending: [Flight] {
        state.withLock { Array($0.flights.values) + $0.alone.values.flatMap { $0 } }.filter(\.isOver)
    }
}
