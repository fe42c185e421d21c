// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import WebSyntax

extension CachePolicy {
    /// Decides how the cache handles a request (RFC 9111, section 4).
    /// - Parameters:
    ///   - request: A GET or HEAD request; requests with other methods are forwarded.
    ///   - candidates: The responses stored under the key of the request, in any order.
    ///   - now: The current time, used to compute ages.
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

    /// Returns a Boolean value that indicates whether a stale response may be used because the origin failed (RFC
    /// 9111, section 4.2.4; RFC 5861, section 4).
    /// - Parameters:
    ///   - request: The request to respond to.
    ///   - stored: The stale response that is stored for the request.
    ///   - isUnreachable: `true` if the origin sent no response; `false` if it sent an error status.
    ///   - now: The current time, used to compute the staleness.
    func mayAnswer(
        _ request: HTTPRequest, withStale stored: StoredResponse, isUnreachable: Bool, now: Date
    ) -> Bool {
        let control = stored.cacheControl
        let wishes = RequestWishes(request)
        guard !forbidsStale(control), !wishes.isNoCache else { return false }
        if isUnreachable, answersStaleWhenUnreachable { return true }
        guard let limit = control.staleIfError ?? wishes.control.staleIfError else { return false }
        return Freshness(of: stored, now: now, policy: self).staleness <= Double(limit)
    }

    /// Returns a Boolean value that indicates whether concurrent identical requests may share the response to a
    /// request.
    func mayShare(_ request: HTTPRequest) -> Bool {
        let fields = request.headerFields
        let wishes = RequestWishes(request)
        let control = wishes.control
        return request.method == .get && !wishes.isForOrigin && !wishes.isNoCache && !control.noStore
            && control.maxAge == nil && control.minFresh == nil && !fields.contains(.range)
            && !fields.contains(.ifNoneMatch) && !fields.contains(.ifModifiedSince)
    }

    /// Returns the most recent candidate that matches the request (RFC 9111, section 4.1) and holds the requested
    /// bytes.
    private func select(_ candidates: [StoredResponse], for request: HTTPRequest) -> StoredResponse? {
        if candidates.count == 1 {
            return candidates.first.flatMap {
                Vary.matches($0.selectors, request) && $0.canAnswer(request) ? $0 : nil
            }
        }
        return candidates.filter { Vary.matches($0.selectors, request) && $0.canAnswer(request) }
            .max { ($0.date, $0.responseTime) < ($1.date, $1.responseTime) }
    }

    /// Returns a Boolean value that indicates whether a stale response must be validated before use (RFC 9111, section
    /// 5.2.2).
    func forbidsStale(_ control: CacheControl) -> Bool {
        control.mustRevalidate || control.noCache == .all
            || (scope == .shared && (control.proxyRevalidate || control.sharedMaxAge != nil))
    }
}

/// The caching requirements of a request.
private struct RequestWishes {
    let control: CacheControl
    /// A Boolean value that indicates whether the request accepts only validated responses.
    let isNoCache: Bool
    private static let pragma = HTTPField.Name("Pragma")
    /// A Boolean value that indicates whether only the origin can evaluate the preconditions (RFC 9111, section
    /// 4.3.2).
    let isForOrigin: Bool

    init(_ request: HTTPRequest) {
        let fields = request.headerFields
        let values = fields[values: .cacheControl]
        control = CacheControl(values)
        // RFC 9111, section 5.4: `Pragma` counts only if the request has no `Cache-Control`.
        let pragma = values.isEmpty ? Self.pragma.map { fields[values: $0] } ?? [] : []
        isNoCache =
            control.noCache != .none || FieldList.members(of: pragma).contains { $0.asciiLowercased == "no-cache" }
        isForOrigin = fields.contains(.ifMatch) || fields.contains(.ifUnmodifiedSince)
    }

    func wantsValidation(
        of stored: StoredResponse, _ freshness: Freshness, _ control: CacheControl, in scope: CachePolicy.Scope
    ) -> Bool {
        if isNoCache { return true }
        if let least = self.control.minFresh, -freshness.staleness < Double(least) { return true }
        guard let most = self.control.maxAge, freshness.age > Double(most) || most == 0 else { return false }
        // RFC 8246, section 2: a reload does not validate an immutable response that is fresh.
        return !(control.isImmutable && freshness.isFresh && scope == .private)
    }
}

private func < (left: (Date, Date), right: (Date, Date)) -> Bool {
    left.0 != right.0 ? left.0 < right.0 : left.1 < right.1
}

/// The handling of a request by a cache.
enum CacheDecision: Sendable, Hashable {
    /// Respond with a stored response.
    case use(StoredResponse)
    /// Respond with a stale stored response and validate it in the background (RFC 5861, section 3).
    case useAndRevalidate(StoredResponse)
    /// Validate a stored response at the origin.
    case validate(StoredResponse)
    /// Forward the request to the origin.
    case forward
    /// Respond with `504`: the request has `only-if-cached`, and no stored response is usable (RFC 9111, section
    /// 5.2.1.7).
    case gatewayTimeout
}
