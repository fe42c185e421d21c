// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading

/// The flights in progress by key; at most one joinable flight per key.
final class FlightTable: Sendable {
    enum Place {
        /// No flight is in progress. The table now contains a flight of this reader, which the caller must start.
        case leads(FlightReader)
        case joins(FlightReader)
        /// The response of a flight is being stored.
        case ending(Flight)
        /// A flight is in progress and cannot be joined.
        case closed
        /// A flight of the key has ended since the store was read.
        case isOutdated
    }

    private struct State {
        var flights: [CacheKey: Flight] = [:]
        /// The flights that other requests cannot join.
        var alone: [CacheKey: [Flight]] = [:]
        var ended: UInt64 = 0
        /// The value of `ended` after the last flight of each key, for the keys whose flights ended most recently.
        var lastEnds: [CacheKey: UInt64] = [:]
        /// An upper bound of this value for all other keys.
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

        /// Prevents requests from joining the flights of a key, and returns these flights.
        mutating func closeFlights(of key: CacheKey) -> [Flight] {
            if let flight = flights.removeValue(forKey: key) { alone[key, default: []].append(flight) }
            return alone[key] ?? []
        }
    }

    private let state = Mutex(State())

    /// The maximum number of keys in `lastEnds`.
    private static let endLimit = 512

    /// The number of flights that have ended.
    var ended: UInt64 { state.withLock(\.ended) }

    /// Joins the flight of a key, or adds a new flight.
    ///
    /// A request that no transport refuses does not join a flight that a transport may refuse. Its flight replaces that
    /// one for later requests.
    /// - Parameter seen: The value of ``ended`` before the store was read; `nil` skips the check.
    func enter(_ key: CacheKey, readAhead: Int, seen: UInt64?) -> Place {
        let isRefusable = BackgroundTransfer.isRefusable
        return state.withLock { state in
            if let flight = state.flights[key], flight.isRefusable, !isRefusable, !flight.isEnding {
                _ = state.closeFlights(of: key)
            }
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

    /// Returns a flight of a key whose response has been received completely and is being stored, or `nil`. Includes
    /// flights that other requests cannot join, such as range requests.
    /// - Parameter responses: The responses from the store. A flight whose response is among them is ignored.
    func ending(_ key: CacheKey, notAmong responses: [StoredResponse]) -> Flight? {
        let flights = state.withLock { state in
            (state.flights[key].map { [$0] } ?? []) + (state.alone[key] ?? [])
        }
        return flights.first { $0.isEnding && !$0.isStored(among: responses) }
    }

    /// Returns a Boolean value that indicates whether a flight of a key has ended since ``ended`` had the given value.
    /// Also returns `true` if the end of a flight may no longer be recorded.
    func hasEnded(_ key: CacheKey, since seen: UInt64) -> Bool {
        state.withLock { $0.hasEnded(key, since: seen) }
    }

    /// Removes a flight that has ended, if the table contains it.
    func remove(_ flight: Flight, for key: CacheKey) {
        state.withLock { state in
            state.recordEnd(of: key)
            if state.flights[key] === flight { state.flights[key] = nil }
            let others = state.alone[key]?.filter { $0 !== flight } ?? []
            state.alone[key] = others.isEmpty ? nil : others
        }
    }

    /// Adds a new flight that other requests cannot join, and returns its reader.
    func addAlone(_ key: CacheKey, readAhead: Int) -> FlightReader {
        let reader = Flight(readAhead: readAhead).makeReader()
        state.withLock { $0.alone[key, default: []].append(reader.flight) }
        return reader
    }

    /// Marks the responses of all flights of a key as invalid.
    func invalidate(_ key: CacheKey) {
        let flights = state.withLock { $0.closeFlights(of: key) }
        for flight in flights { flight.invalidate() }
    }

    /// Marks the responses of all flights as invalid.
    func invalidateAll() {
        let flights = state.withLock { state in
            Set(state.flights.keys).union(state.alone.keys).flatMap { state.closeFlights(of: $0) }
        }
        for flight in flights { flight.invalidate() }
    }

    /// The flights that end without further readers: their response is received and being stored, or they have no
    /// reader left.
    var ending: [Flight] {
        state.withLock { Array($0.flights.values) + $0.alone.values.flatMap { $0 } }.filter(\.isOver)
    }
}
