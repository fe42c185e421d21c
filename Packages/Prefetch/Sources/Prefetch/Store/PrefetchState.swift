// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// The state of all prefetch requests, as a value that does not wait and does not read a clock.
///
/// A prefetch request is *claimed* by at most one page request at a time, and *handed over* at most once: when its
/// claimant finds that the head has arrived and that the response matches. A claimant that is cancelled before the
/// handover releases its claim. ``touched`` contains the requests whose waiters must be resumed, and ``ended`` those
/// whose work must be cancelled.
struct PrefetchState: Sendable {
    typealias Number = UInt64

    /// The head of a response, and the properties of its body.
    struct Answer: Sendable {
        var head: HTTPResponse
        var provenance: Provenance
        var isInterim = false
        var movedTo: String?
        /// The length of the body, if it is known.
        var length: Int64?
    }

    /// The result of a handover to a claimant.
    enum Transfer: Sendable {
        /// The complete response.
        case whole(Answer, ResourceBody)
        /// The response, whose pieces ``nextStep(_:)`` returns.
        case streamed(Answer)
        /// The response does not match the claimant, which has lost its claim.
        case mismatch
        /// The response is no longer available.
        case unavailable
    }

    /// The next step of a reader.
    enum Step: Sendable {
        case piece(Data)
        case end
        case failed(any Error)
    }

    private struct Entry {
        let page: PageID
        let identity: RequestIdentity
        let startedAt: Duration
        /// The request, so that it can be sent again.
        var origin: Origin?
        /// A Boolean value that indicates whether the cookies of the page have changed while the request was being
        /// completed.
        var isOutdated = false
        /// The fields of the sent request; `nil` while the request is being completed.
        var sent: HTTPFields?
        /// The cookies that the response sets.
        var grants = CookieGrants()
        var answer: Answer?
        var answeredAt: Duration?
        var endedAt: Duration?
        /// A body that is not a stream.
        var body: ResourceBody?
        /// The received pieces; those before `firstPiece` have been read.
        var pieces: [Data] = []
        var firstPiece = 0
        /// The number of unread bytes.
        var held = 0
        var received = 0
        var failure: (any Error)?
        var claim: (own: OwnRequest, at: Duration)?
        /// The number of claims so far.
        var claims = 0
        var isTransferred = false
    }

    /// A prefetch request and the page for which it is sent.
    struct Origin: Sendable {
        let request: PrefetchRequest
        let page: PageReference
    }

    /// A request that has been sent and waits for its page.
    struct Waiting: Sendable {
        let number: Number
        let origin: Origin
    }

    private struct Trace: Hashable {
        let page: PageID
        let identity: RequestIdentity
    }

    private let configuration: PrefetchLoader.Configuration
    private let rule: FieldRule
    private var entries: [Number: Entry] = [:]
    private var last: Number = 0
    /// The requests started for each open page, and the pages in the order in which they were opened.
    private var started: [PageID: Set<RequestIdentity>] = [:]
    private var pages: [PageID] = []
    /// The requests that ended before their page requested them, oldest first.
    private var traces: [Trace] = []
    /// The number of bytes of all responses that have not been handed over.
    private(set) var held = 0

    private(set) var counters = PrefetchCounters()
    /// The requests whose state has changed since this set was emptied.
    var touched: Set<Number> = []
    /// The requests whose work must be cancelled.
    var ended: Set<Number> = []

    private static let maxPages = 64
    private static let maxTraces = 256

    init(_ configuration: PrefetchLoader.Configuration) {
        self.configuration = configuration
        rule = FieldRule(ignoring: configuration.ignoredFields)
    }

    /// The number of requests that wait for their page.
    var waitingCount: Int { entries.values.count { !$0.isTransferred } }
    /// The number of requests, including those whose response is being read.
    var count: Int { entries.count }
    /// Returns a Boolean value that indicates whether more data may arrive for a request that is still wanted.
    func isUnderWay(_ number: Number) -> Bool { entries[number].map { $0.endedAt == nil } ?? false }
}

// MARK: - Prefetch requests

extension PrefetchState {
    /// Registers the requests of a page that is being opened.
    /// - Returns: the numbers of the requests to start; `nil` for a request that was started for this page before or
    ///   exceeds the limit.
    mutating func open(_ page: PageID, _ identities: [RequestIdentity], at now: Duration) -> [Number?] {
        expire(at: now)
        if started[page] == nil {
            started[page] = []
            pages.append(page)
            if pages.count > Self.maxPages { started[pages.removeFirst()] = nil }
        }
        return identities.map { identity in
            guard started[page]?.contains(identity) == false else { return nil }
            guard waitingCount < configuration.maxCount else {
                counters.skipped += 1
                return nil
            }
            started[page]?.insert(identity)
            last += 1
            entries[last] = Entry(page: page, identity: identity, startedAt: now)
            counters.started += 1
            return last
        }
    }

    /// Registers the requests of a page that is being opened, so that they can be sent again.
    /// - Returns: as for ``open(_:_:at:)``.
    mutating func open(_ page: PageReference, _ requests: [PrefetchRequest], at now: Duration) -> [Number?] {
        let numbers = open(page.id, requests.map(\.identity), at: now)
        for (number, request) in zip(numbers, requests) {
            if let number { entries[number]?.origin = Origin(request: request, page: page) }
        }
        return numbers
    }

    /// Returns a Boolean value that indicates whether a request for a resource of the page has not been claimed.
    func hasUnclaimed(of page: PageID) -> Bool {
        entries.values.contains { $0.page == page && $0.claim == nil && !$0.identity.isDocument }
    }

    /// Returns the URLs of the GET requests for resources of the page that have not been claimed.
    func unclaimedURLs(of page: PageID) -> [String] {
        entries.values.filter {
            $0.page == page && $0.claim == nil && !$0.identity.isDocument && $0.identity.method == "GET"
        }.map(\.identity.url)
    }

    /// Returns the unclaimed requests for resources of a page whose document has set cookies. Requests that are being
    /// completed will be completed again.
    mutating func recordCookieChange(of page: PageID) -> [Waiting] {
        var waiting: [Waiting] = []
        for (number, entry) in entries where entry.page == page && entry.claim == nil && !entry.identity.isDocument {
            if entry.sent == nil {
                entries[number]?.isOutdated = true
            } else if let origin = entry.origin {
                waiting.append(Waiting(number: number, origin: origin))
            }
        }
        return waiting.sorted { $0.number < $1.number }
    }

    /// Returns a Boolean value that indicates whether a request must be completed again, because the cookies of its
    /// page have changed meanwhile.
    mutating func takeOutdated(_ number: Number) -> Bool {
        guard entries[number]?.isOutdated == true else { return false }
        entries[number]?.isOutdated = false
        return true
    }

    /// Replaces an unclaimed request by a new one if its `Cookie` field would be different now.
    /// - Parameters:
    ///   - number: the request.
    ///   - cookie: the `Cookie` field that the request would have now; `nil` for none.
    /// - Returns: the number of the request to start; `nil` if the response can be used or is no longer wanted.
    mutating func renew(_ number: Number, cookie: String?, at now: Duration) -> Number? {
        guard let entry = entries[number], entry.claim == nil, let sent = entry.sent,
            !entry.grants.lead(from: sent[.cookie], to: cookie)
        else { return nil }
        waste(number)
        traces.removeAll { $0.page == entry.page && $0.identity == entry.identity }
        last += 1
        entries[last] = Entry(
            page: entry.page, identity: entry.identity, startedAt: now, origin: entry.origin)
        counters.started += 1
        return last
    }

    /// Records the fields of a completed request that is about to be sent.
    /// - Returns: a Boolean value that indicates whether the request is still wanted.
    mutating func complete(_ number: Number, fields: HTTPFields) -> Bool {
        guard entries[number] != nil else { return false }
        entries[number]?.sent = fields
        touched.insert(number)
        return true
    }

    /// Records the `Set-Cookie` values of a head that is about to arrive. From now on the page's own request may have
    /// these cookies.
    mutating func grant(_ number: Number, _ setCookies: [String]) {
        entries[number]?.grants.record(setCookies)
        touched.insert(number)
    }

    /// Records the head of a response. An error response counts as a failure, so that the page sends its own request.
    /// - Parameter body: a body that is not a stream; `nil` if pieces follow.
    /// - Returns: a Boolean value that indicates whether the response is still wanted.
    mutating func answer(_ number: Number, _ answer: Answer, body: ResourceBody?, at now: Duration) -> Bool {
        guard let entry = entries[number] else { return false }
        var bytes = 0
        if case .bytes(let data)? = body { bytes = data.count }
        let hasCapacity =
            bytes == 0 || entry.claim != nil
            || bytes <= configuration.maxAnswerBytes && held + bytes <= configuration.maxBytes
        guard answer.head.status.code < 400, hasCapacity else {
            fail(number)
            return false
        }
        entries[number]?.answer = answer
        entries[number]?.answeredAt = now
        entries[number]?.body = body
        entries[number]?.received = bytes
        entries[number]?.held = bytes
        held += bytes
        if body != nil { entries[number]?.endedAt = now }
        touched.insert(number)
        return true
    }

    /// Returns a Boolean value that indicates whether the next piece may be requested; `nil` if the response is no
    /// longer wanted.
    func hasCapacity(_ number: Number) -> Bool? {
        guard let entry = entries[number] else { return nil }
        if entry.isTransferred { return entry.held < max(1, configuration.readAhead) }
        return entry.held < configuration.maxAnswerBytes && held < configuration.maxBytes
    }

    /// Records a piece.
    mutating func append(_ number: Number, _ piece: Data) {
        guard let entry = entries[number] else { return }
        entries[number]?.pieces.append(piece)
        entries[number]?.held += piece.count
        entries[number]?.received += piece.count
        if !entry.isTransferred { held += piece.count }
        touched.insert(number)
    }

    /// Records the end of the body.
    mutating func end(_ number: Number, at now: Duration) {
        entries[number]?.endedAt = now
        touched.insert(number)
    }

    /// Records that the request has failed or its body has ended early. A current reader gets the failure after the
    /// received pieces.
    mutating func fail(_ number: Number, _ error: (any Error)? = nil) {
        guard let entry = entries[number] else { return }
        if entry.isTransferred {
            entries[number]?.failure = error ?? ResourceError(.connectionLost, "the response body ended early")
            touched.insert(number)
        } else {
            counters.failures += 1
            remove(number)
        }
    }
}

// MARK: - Page requests

extension PrefetchState {
    /// Returns a Boolean value that indicates whether a page's request with this method and URL may match a prefetch
    /// request.
    ///
    /// This is the case for an unclaimed prefetch request, and for a prefetch request that ended before its page
    /// requested it. In the second case, the page's request counts as a miss.
    func knows(method: String, url: String) -> Bool {
        let isSame = { (identity: RequestIdentity) in identity.url == url && identity.method == method }
        return entries.values.contains { $0.claim == nil && isSame($0.identity) }
            || traces.contains { isSame($0.identity) }
    }

    /// A Boolean value that indicates whether no prefetch request can match.
    var isEmpty: Bool { entries.isEmpty && traces.isEmpty }

    /// Claims a prefetch request for a page request.
    /// - Parameter tried: the prefetch requests that the same page request has claimed before.
    /// - Returns: `nil` if there is none.
    mutating func claim(_ own: OwnRequest, beside tried: Set<Number> = [], at now: Duration) -> Number? {
        expire(at: now)
        var candidates = entries.filter { number, entry in
            entry.claim == nil && entry.identity == own.identity && mayHave(own.page, of: entry.page)
                && !tried.contains(number)
        }
        let count = candidates.count
        candidates = candidates.filter { matches($0.value, for: own) }
        let best = candidates.min { one, other in
            let isOwn = (one.value.page == own.page.page.id, other.value.page == own.page.page.id)
            return isOwn.0 == isOwn.1 ? one.key < other.key : isOwn.0
        }
        if let best {
            entries[best.key]?.claim = (own, now)
            entries[best.key]?.claims += 1
            return best.key
        }
        if count > 0 { counters.mismatches += 1 }
        let trace = traces.firstIndex { $0.identity == own.identity && mayHave(own.page, of: $0.page) }
        if let trace { traces.remove(at: trace) }
        if count > 0 || trace != nil || !tried.isEmpty { counters.misses += 1 }
        return nil
    }

    /// Hands over a claimed response; `nil` while its head has not arrived.
    mutating func transfer(_ number: Number, at now: Duration) -> Transfer? {
        guard let entry = entries[number], let claim = entry.claim, !entry.isTransferred else { return .unavailable }
        guard matches(entry, for: claim.own) else {
            counters.mismatches += 1
            release(number, at: now)
            return .mismatch
        }
        guard let answer = entry.answer else { return nil }
        guard claim.own.keepsCookies || !answer.head.headerFields.contains(.setCookie) else {
            release(number, at: now)
            return .unavailable
        }
        let isWhole = entry.endedAt.map { $0 <= claim.at } ?? false
        counters.hits += isWhole ? 1 : 0
        counters.joins += isWhole ? 0 : 1
        counters.saved += min(claim.at, entry.endedAt ?? claim.at) - entry.startedAt
        held -= entry.held
        touched.formUnion(entries.keys)
        guard entry.endedAt != nil else {
            entries[number]?.isTransferred = true
            return .streamed(answer)
        }
        entries[number] = nil
        ended.insert(number)
        if let body = entry.body { return .whole(answer, body) }
        return .whole(answer, entry.pieces.isEmpty ? .empty : .bytes(entry.pieces.reduce(into: Data()) { $0 += $1 }))
    }

    /// Releases a claim before the head has arrived. The response then waits for another request.
    mutating func release(_ number: Number, at now: Duration) {
        guard let entry = entries[number], entry.claim != nil, !entry.isTransferred else { return }
        entries[number]?.claim = nil
        if started[entry.page] == nil { waste(number) }
        expire(at: now)
    }

    /// Returns the number of claims of a request, which identifies the current claimant.
    func claims(of number: Number) -> Int { entries[number]?.claims ?? 0 }

    /// Ends a request whose claimant has waited for the limit.
    /// - Parameter claims: the value of ``claims(of:)`` for the claimant.
    mutating func abandon(_ number: Number, claims: Int) {
        guard let entry = entries[number], entry.claim != nil, entry.claims == claims, entry.answer == nil else {
            return
        }
        counters.abandoned += 1
        remove(number)
    }

    /// Returns the next step of a reader; `nil` while no data has arrived.
    mutating func nextStep(_ number: Number) -> Step? {
        guard let entry = entries[number] else { return .end }
        if entry.firstPiece < entry.pieces.count {
            let piece = entry.pieces[entry.firstPiece]
            entries[number]?.firstPiece += 1
            if entry.firstPiece + 1 == entry.pieces.count {
                entries[number]?.pieces.removeAll(keepingCapacity: true)
                entries[number]?.firstPiece = 0
            } else {
                entries[number]?.pieces[entry.firstPiece] = Data()
            }
            entries[number]?.held -= piece.count
            touched.insert(number)
            return .piece(piece)
        }
        if let failure = entry.failure {
            endReading(number)
            return .failed(failure)
        }
        guard entry.endedAt != nil else { return nil }
        endReading(number)
        return .end
    }

    /// Ends a response whose reader has stopped.
    mutating func endReading(_ number: Number) {
        guard entries[number]?.isTransferred == true else { return }
        entries[number] = nil
        ended.insert(number)
        touched.insert(number)
    }

    /// Returns a Boolean value that indicates whether a requester may get the response of a page. If the engine
    /// identifies the requester exactly, only the page of the prefetch request gets the response.
    private func mayHave(_ requester: PageAttribution, of page: PageID) -> Bool {
        requester.confidence == .inferred || requester.page.id == page
    }

    /// Returns a Boolean value that indicates whether a response matches a request, as far as its fields have arrived.
    private func matches(_ entry: Entry, for own: OwnRequest) -> Bool {
        guard let sent = entry.sent else { return true }
        let url = entry.identity.url
        guard rule.hasSameRequester(sent, own.fields, entry.identity, entry.grants) else { return false }
        return entry.answer.map {
            rule.isForBoth($0.head.headerFields, sent, own.fields, url: url, entry.grants)
        } ?? true
    }
}

// MARK: - Expiry

extension PrefetchState {
    /// Drops the responses that were not requested in time.
    mutating func expire(at now: Duration) {
        for (number, entry) in entries where entry.claim == nil && deadline(of: entry) <= now { waste(number) }
    }

    /// Returns the time until the next response expires; `nil` if all are claimed.
    func timeToExpiry(at now: Duration) -> Duration? {
        entries.values.filter { $0.claim == nil }.map { deadline(of: $0) - now }.min()
    }

    /// Drops the unclaimed requests of a closed page.
    mutating func discardUnclaimed(_ page: PageID) {
        started[page] = nil
        pages.removeAll { $0 == page }
        for (number, entry) in entries where entry.page == page && entry.claim == nil { waste(number) }
        traces.removeAll { $0.page == page }
    }

    /// Drops all requests that have not been handed over. Page requests that joined a dropped request continue without
    /// its response.
    mutating func removeAll() {
        for (number, entry) in entries where !entry.isTransferred { waste(number) }
        traces = []
    }

    private func deadline(of entry: Entry) -> Duration {
        (entry.answeredAt ?? entry.startedAt) + configuration.maxAge
    }

    private mutating func waste(_ number: Number) {
        counters.wasted += 1
        counters.wastedBytes += entries[number]?.received ?? 0
        remove(number)
    }

    /// Removes a request that has not been handed over.
    private mutating func remove(_ number: Number) {
        guard let entry = entries.removeValue(forKey: number) else { return }
        held -= entry.held
        ended.insert(number)
        touched.formUnion(entries.keys)
        touched.insert(number)
        guard entry.claim == nil, started[entry.page] != nil else { return }
        traces.append(Trace(page: entry.page, identity: entry.identity))
        if traces.count > Self.maxTraces { traces.removeFirst() }
    }
}
