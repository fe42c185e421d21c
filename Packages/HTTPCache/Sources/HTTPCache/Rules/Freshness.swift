// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading
internal import WebSyntax

/// The age and the lifetime of a stored response, in seconds (RFC 9111, sections 4.2.1 to 4.2.3).
struct Freshness: Sendable, Hashable {
    /// The time since the response was generated at the origin.
    let age: TimeInterval
    /// The freshness lifetime; zero if the response is explicitly stale or no heuristic applies.
    let lifetime: TimeInterval
    /// A Boolean value that indicates whether the lifetime is heuristic.
    let isHeuristic: Bool

    /// A Boolean value that indicates whether the response may be used without validation.
    var isFresh: Bool { age < lifetime }
    /// The time since the response became stale; negative while it is fresh.
    var staleness: TimeInterval { age - lifetime }

    init(of response: StoredResponse, now: Date, policy: CachePolicy) {
        age = response.age(now: now)
        (lifetime, isHeuristic) = policy.lifetime(of: response)
    }
}

extension StoredResponse {
    /// The value of the `Date` field, or the time at which the response was received.
    var date: Date { facts.date ?? responseTime }

    /// Returns the current age.
    /// - Returns: Seconds; never negative, and finite.
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
            // An invalid date, such as `0`, lies in the past (RFC 9111, section 5.3).
            let date = HTTPDate.parse(expires, now: response.responseTime)
            return (max(0, date?.timeIntervalSince(response.date) ?? 0), false)
        }
        guard control.isPublic || Self.heuristicStatuses.contains(response.head.status.code),
            let text = response.head.headerFields[.lastModified],
            let modified = HTTPDate.parse(text, now: response.responseTime)
        else { return (0, false) }
        let sinceThen = max(0, response.date.timeIntervalSince(modified))
        return (min(Self.heuristicLimit, sinceThen * Self.heuristicFraction), true)
    }

    /// The heuristic lifetime of a response without an explicit lifetime, as a fraction of the time since
    /// `Last-Modified`.
    private static let heuristicFraction = 0.1
    /// The maximum heuristic lifetime, one week, in seconds.
    private static let heuristicLimit: TimeInterval = 7 * 86_400

    /// The statuses that are heuristically cacheable (RFC 9110, section 15.1).
    static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
}
