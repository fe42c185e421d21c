// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
internal import WebSyntax

extension CachePolicy {
    /// Decides what answers a request (RFC 9111, section 4).
    /// - Parameters:
    ///   - request: GET or HEAD; anything else is forwarded.
    ///   - candidates: what is stored under the request's key, in any order.
    ///   - now: the current time, by which ages count.
    func decide(_ request: HTTPRequest, candidates: [StoredResponse], now: Date) -> CacheDecision {
        let wishes = RequestWishes(request)
        let origin = wishes.control.onlyIfCached ? CacheDecision.gatewayTimeout : .forward
        guard request.method == .get || request.method == .head, !wishes.isForOrigin, !wishes.control.noStore,
            let stored = select(candidates, for: request)
        else { return origin }
        let freshness = Freshness(of: stored, now: now, policy: self)
        let control = stored.cacheControl
        if control.noCache != .all, !wishes.wantsValidation(of: stored, freshness, control, in: scope) {
            if freshness.isFresh { return .use(stored) }
            if !forbidsStale(control) {
                if let limit = wishes.control.maxStale, freshness.staleness <= Double(limit) { return .use(stored) }
                if let limit = control.staleWhileRevalidate, freshness.staleness <= Double(limit),
                    !wishes.control.onlyIfCached
                {
                    return .useAndRevalidate(stored)
                }
            }
        }
        return wishes.control.onlyIfCached ? .gatewayTimeout : .validate(stored)
    }

    /// Whether a stale response answers a request because the origin failed (RFC 9111, section 4.2.4; RFC 5861,
    /// section 4).
    /// - Parameters:
    ///   - request: the request to answer.
    ///   - stored: the stale response that is stored for it.
    ///   - isUnreachable: whether there was no answer at all, rather than one with a status that is an error.
    ///   - now: the current time, by which staleness counts.
    public func mayAnswer(
        _ request: HTTPRequest, withStale stored: StoredResponse, isUnreachable: Bool, now: Date
    ) -> Bool {
        let control = stored.cacheControl
        let wishes = RequestWishes(request)
        guard !forbidsStale(control), !wishes.isNoCache else { return false }
        if isUnreachable, answersStaleWhenUnreachable { return true }
        guard let limit = control.staleIfError ?? wishes.control.staleIfError else { return false }
        return Freshness(of: stored, now: now, policy: self).staleness <= Double(limit)
    }

    /// Whether requests that are the same while one is under way could be answered by what comes for it.
    public func mayShare(_ request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        let wishes = RequestWishes(request)
        let control = wishes.control
        return request.method == .get && !wishes.isForOrigin && !wishes.isNoCache && !control.noStore
            && control.maxAge == nil && control.minFresh == nil && !fields.contains(.range)
            && !fields.contains(.ifNoneMatch) && !fields.contains(.ifModifiedSince)
    }

    /// The latest of those that the request selects (section 4.1) and that hold what it asks for.
    private func select(_ candidates: [StoredResponse], for request: HTTPRequest) -> StoredResponse? {
        if candidates.count == 1 {
            return candidates.first.flatMap {
                Vary.matches($0.selectors, request) && $0.canAnswer(request) ? $0 : nil
            }
        }
        return candidates.filter { Vary.matches($0.selectors, request) && $0.canAnswer(request) }
            .max { ($0.date, $0.responseTime) < ($1.date, $1.responseTime) }
    }

    /// Section 5.2.2: what is stale must not answer before it is validated, whatever happens.
    func forbidsStale(_ control: CacheControl) -> Bool {
        control.mustRevalidate || control.noCache == .all
            || (scope == .shared && (control.proxyRevalidate || control.sharedMaxAge != nil))
    }
}

/// What a request says about caches.
private struct RequestWishes {
    let control: CacheControl
    /// Whether it wants nothing that was not validated.
    let isNoCache: Bool
    private static let pragma = HTTPField.Name("Pragma")
    /// Whether its conditions are for the origin to judge (RFC 9111, section 4.3.2).
    let isForOrigin: Bool

    init(_ request: HTTPRequest) {
        let fields = request.headerFields
        let values = fields[values: .cacheControl]
        control = CacheControl(values)
        // Section 5.4: only for those that know no other.
        let pragma = values.isEmpty ? Self.pragma.map { fields[values: $0] } ?? [] : []
        isNoCache = control.noCache != .none || FieldList.members(of: pragma).contains { $0.lowercased() == "no-cache" }
        isForOrigin = fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    }

    func wantsValidation(
        of stored: StoredResponse, _ freshness: Freshness, _ control: CacheControl, in scope: CachePolicy.Scope
    ) -> Bool {
        if isNoCache { return true }
        if let least = self.control.minFresh, -freshness.staleness < Double(least) { return true }
        guard let most = self.control.maxAge, freshness.age > Double(most) || most == 0 else { return false }
        // RFC 8246, section 2: a reload does not ask again for what never changes.
        return !(control.isImmutable && freshness.isFresh && scope == .private)
    }
}

private func < (left: (Date, Date), right: (Date, Date)) -> Bool {
    left.0 != right.0 ? left.0 < right.0 : left.1 < right.1
}

/// What a cache does with a request.
enum CacheDecision: Sendable, Hashable {
    /// Answer with a stored response.
    case use(StoredResponse)
    /// Answer with a stored response that is stale, and validate it meanwhile (RFC 5861, section 3).
    case useAndRevalidate(StoredResponse)
    /// Ask the origin whether a stored response is still right.
    case validate(StoredResponse)
    /// Ask the origin.
    case forward
    /// Answer `504`: the request wants no other than a stored response, and there is none (RFC 9111, section 5.2.1.7).
    case gatewayTimeout
}
