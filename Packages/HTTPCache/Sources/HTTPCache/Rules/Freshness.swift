// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// How old a stored response is, and how old it may become (RFC 9111, sections 4.2.1 to 4.2.3). In seconds.
struct Freshness: Sendable, Hashable {
    /// From the time it was made at the origin.
    let age: TimeInterval
    /// Zero where the response says that it is stale, or says nothing and nothing may be guessed.
    let lifetime: TimeInterval
    /// Whether the lifetime is a guess.
    let isHeuristic: Bool

    /// Whether the response may answer without being validated.
    var isFresh: Bool { age < lifetime }
    /// How long ago it became stale; negative where it is fresh.
    var staleness: TimeInterval { age - lifetime }

    init(of response: StoredResponse, now: Date, policy: CachePolicy) {
        age = response.age(now: now)
        (lifetime, isHeuristic) = policy.lifetime(of: response)
    }
}

extension StoredResponse {
    /// The time at which the response was made, by its own `Date`, else the time at which it came.
    var date: Date { facts.date ?? responseTime }

    /// - Returns: seconds; never negative, and finite.
    func age(now: Date) -> TimeInterval {
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        return max(apparent, Double(facts.age) + delay) + max(0, now.timeIntervalSince(responseTime))
    }
}

extension CachePolicy {
    func lifetime(of response: StoredResponse) -> (TimeInterval, isHeuristic: Bool) {
        let control = response.cacheControl
        if scope == .shared, let seconds = control.sharedMaxAge { return (Double(seconds), false) }
        if let seconds = control.maxAge { return (Double(seconds), false) }
        if let expires = response.head.headerFields[.expires] {
            // A date that is none, `0` above all, lies in the past (section 5.3).
            let date = HTTPDate.parse(expires, now: response.responseTime)
            return (max(0, date?.timeIntervalSince(response.date) ?? 0), false)
        }
        guard control.isPublic || Self.heuristicStatuses.contains(response.head.status.code),
            let text = response.head.headerFields[.lastModified],
            let modified = HTTPDate.parse(text, now: response.responseTime)
        else { return (0, false) }
        let sinceThen = max(0, response.date.timeIntervalSince(modified))
        return (min(heuristicLimit, sinceThen * heuristicFraction), true)
    }

    /// Statuses whose responses may be stored though they do not say so (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}
