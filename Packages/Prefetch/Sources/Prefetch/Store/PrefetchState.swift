// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
internal import ResourceLoading

/// What is known of all requests made ahead: a value that neither waits nor asks for the time.
///
/// A request made ahead is *claimed* by at most one request of a page at a time, and *handed over* at most once, in the
/// step in which its claimant sees that the head is there and meant for it. A claimant that leaves before that gives it
/// back. Who may be waiting for what has changed is told by ``touched``, and whose work is to end by ``ended``.
struct PrefetchState: Sendable {
    typealias Number = UInt64

    /// The head of an answer, and what is known of its body.
    struct Answer: Sendable {
        var head: HTTPResponse
        var provenance: Provenance
        var isInterim = false
        var movedTo: String?
        /// The body's length, where it is announced.
        var length: Int64?
    }

    /// What a claimant gets.
    enum HandOver: Sendable {
        /// The answer, all of it.
        case whole(Answer, ResourceBody)
        /// The answer, whose pieces are had by ``nextStep(_:)``.
        case streamed(Answer)
        /// It is not for this claimant, who has no claim any more.
        case mismatch
        /// There is none any more.
        case gone
    }

    /// What a reader finds.
    enum Step: Sendable {
        case piece(Data)
        case end
        case failed(any Error)
    }

    private struct Entry {
        let page: PageID
        let identity: RequestIdentity
        let startedAt: Duration
        /// The fields with which the request left; `nil` while it is being completed.
        var sent: HTTPFields?
        /// What its answer says of cookies.
        var grants = CookieGrants()
        var answer: Answer?
        var answeredAt: Duration?
        var endedAt: Duration?
        /// A body that does not stream.
        var body: ResourceBody?
        /// The pieces that have come and have not been read, of which the first ones are gone.
        var pieces: [Data] = []
        var firstPiece = 0
        /// Their bytes.
        var held = 0
        var received = 0
        var failure: (any Error)?
        var claim: (own: OwnRequest, at: Duration)?
        /// How often it was claimed.
        var claims = 0
        var isHandedOver = false
    }

    private struct Trace: Hashable {
        let page: PageID
        let identity: RequestIdentity
    }

    private let configuration: PrefetchLoader.Configuration
    private let rule: FieldRule
    private var entries: [Number: Entry] = [:]
    private var last: Number = 0
    /// What was started for each page that is open, and the pages in the order of their opening.
    private var started: [PageID: Set<RequestIdentity>] = [:]
    private var pages: [PageID] = []
    /// What ended before its page came for it, the oldest first.
    private var traces: [Trace] = []
    /// The bytes of all that is not handed over.
    private(set) var held = 0

    private(set) var counters = PrefetchCounters()
    /// Whose state has changed since this was emptied.
    var touched: Set<Number> = []
    /// Whose work is to end.
    var ended: Set<Number> = []

    private static let maxPages = 64
    private static let maxTraces = 256

    init(_ configuration: PrefetchLoader.Configuration) {
        self.configuration = configuration
        rule = FieldRule(ignoring: configuration.ignoredFields)
    }

    /// How many wait for their page.
    var waitingCount: Int { entries.values.count { !$0.isHandedOver } }
    /// How many there are, those included that are being read.
    var count: Int { entries.count }
    /// Whether more may come for one that somebody may want.
    func isUnderWay(_ number: Number) -> Bool { entries[number].map { $0.endedAt == nil } ?? false }
}

// MARK: - Requests made ahead

extension PrefetchState {
    /// Takes in what is to be asked for when a page is opened.
    /// - Returns: the numbers of those to start, `nil` for those that were started for this page before, or have no
    ///   room.
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

    /// The request is complete and is about to leave.
    /// - Returns: whether it is still wanted.
    mutating func complete(_ number: Number, fields: HTTPFields) -> Bool {
        guard entries[number] != nil else { return false }
        entries[number]?.sent = fields
        touched.insert(number)
        return true
    }

    /// The head is about to come, with these values of `Set-Cookie`: the page's own request may have them from now on.
    mutating func grant(_ number: Number, _ setCookies: [String]) {
        entries[number]?.grants.record(setCookies)
        touched.insert(number)
    }

    /// The head has come. An answer that says of an error is none: the page asks itself.
    /// - Parameter body: a body that does not stream; `nil` where pieces follow.
    /// - Returns: whether it is still wanted.
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

    /// Whether the next piece may be asked for; `nil` where it is not wanted any more.
    func hasCapacity(_ number: Number) -> Bool? {
        guard let entry = entries[number] else { return nil }
        if entry.isHandedOver { return entry.held < max(1, configuration.readAhead) }
        return entry.held < configuration.maxAnswerBytes && held < configuration.maxBytes
    }

    /// A piece has come.
    mutating func append(_ number: Number, _ piece: Data) {
        guard let entry = entries[number] else { return }
        entries[number]?.pieces.append(piece)
        entries[number]?.held += piece.count
        entries[number]?.received += piece.count
        if !entry.isHandedOver { held += piece.count }
        touched.insert(number)
    }

    /// All pieces have come.
    mutating func end(_ number: Number, at now: Duration) {
        entries[number]?.endedAt = now
        touched.insert(number)
    }

    /// The request has failed, or its body has broken off: what a reader has of it already ends with the failure.
    mutating func fail(_ number: Number, _ error: (any Error)? = nil) {
        guard let entry = entries[number] else { return }
        if entry.isHandedOver {
            entries[number]?.failure = error ?? ResourceError(.connectionLost, "the answer broke off")
            touched.insert(number)
        } else {
            counters.failures += 1
            remove(number)
        }
    }
}

// MARK: - Requests of pages

extension PrefetchState {
    /// Whether a request of this method and URL was made ahead, and nobody has its answer.
    func knows(method: String, url: String) -> Bool {
        let isSame = { (identity: RequestIdentity) in identity.url == url && identity.method == method }
        return entries.values.contains { $0.claim == nil && isSame($0.identity) }
            || traces.contains { isSame($0.identity) }
    }

    /// Whether there is anything that a request could be meant by.
    var isEmpty: Bool { entries.isEmpty && traces.isEmpty }

    /// Claims what was made ahead for a request of a page.
    /// - Parameter tried: what the same request has claimed before.
    /// - Returns: `nil` where there is nothing, or nothing any more.
    mutating func claim(_ own: OwnRequest, beside tried: Set<Number> = [], at now: Duration) -> Number? {
        expire(at: now)
        var candidates = entries.filter { number, entry in
            entry.claim == nil && entry.identity == own.identity && mayHave(own.page, of: entry.page)
                && !tried.contains(number)
        }
        let count = candidates.count
        candidates = candidates.filter { isMeant($0.value, for: own) }
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

    /// Hands a claimed answer over; `nil` while its head has not come.
    mutating func handOver(_ number: Number, at now: Duration) -> HandOver? {
        guard let entry = entries[number], let claim = entry.claim, !entry.isHandedOver else { return .gone }
        guard isMeant(entry, for: claim.own) else {
            counters.mismatches += 1
            release(number, at: now)
            return .mismatch
        }
        guard let answer = entry.answer else { return nil }
        guard claim.own.keepsCookies || !answer.head.headerFields.contains(.setCookie) else {
            release(number, at: now)
            return .gone
        }
        let isWhole = entry.endedAt.map { $0 <= claim.at } ?? false
        counters.hits += isWhole ? 1 : 0
        counters.joins += isWhole ? 0 : 1
        counters.saved += min(claim.at, entry.endedAt ?? claim.at) - entry.startedAt
        held -= entry.held
        touched.formUnion(entries.keys)
        guard entry.endedAt != nil else {
            entries[number]?.isHandedOver = true
            return .streamed(answer)
        }
        entries[number] = nil
        ended.insert(number)
        if let body = entry.body { return .whole(answer, body) }
        return .whole(answer, entry.pieces.isEmpty ? .empty : .bytes(entry.pieces.reduce(into: Data()) { $0 += $1 }))
    }

    /// A claimant leaves before it has the head: the answer waits for another one.
    mutating func release(_ number: Number, at now: Duration) {
        guard let entry = entries[number], entry.claim != nil, !entry.isHandedOver else { return }
        entries[number]?.claim = nil
        if started[entry.page] == nil { waste(number) }
        expire(at: now)
    }

    /// How often a request was claimed, which tells its claimants apart.
    func claims(of number: Number) -> Int { entries[number]?.claims ?? 0 }

    /// A claimant has waited long enough.
    /// - Parameter claims: what ``claims(of:)`` was for it.
    mutating func abandon(_ number: Number, claims: Int) {
        guard let entry = entries[number], entry.claim != nil, entry.claims == claims, entry.answer == nil else {
            return
        }
        counters.abandoned += 1
        remove(number)
    }

    /// What a reader gets next; `nil` while nothing has come.
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
            leave(number)
            return .failed(failure)
        }
        guard entry.endedAt != nil else { return nil }
        leave(number)
        return .end
    }

    /// A reader wants no more.
    mutating func leave(_ number: Number) {
        guard entries[number]?.isHandedOver == true else { return }
        entries[number] = nil
        ended.insert(number)
        touched.insert(number)
    }

    /// One page's answers are for that page, as far as the engine says who asks.
    private func mayHave(_ asker: PageAttribution, of page: PageID) -> Bool {
        asker.confidence == .inferred || asker.page.id == page
    }

    /// Whether an answer is for a request, as far as that is known.
    private func isMeant(_ entry: Entry, for own: OwnRequest) -> Bool {
        guard let sent = entry.sent else { return true }
        let url = entry.identity.url
        guard rule.isSameAsker(sent, own.fields, entry.identity, entry.grants) else { return false }
        return entry.answer.map {
            rule.isForBoth($0.head.headerFields, sent, own.fields, url: url, entry.grants)
        } ?? true
    }
}

// MARK: - Ends

extension PrefetchState {
    /// Drops what nobody has come for in time.
    mutating func expire(at now: Duration) {
        for (number, entry) in entries where entry.claim == nil && deadline(of: entry) <= now { waste(number) }
    }

    /// How long it is until the next one is dropped; `nil` where none will be.
    func timeToExpiry(at now: Duration) -> Duration? {
        entries.values.filter { $0.claim == nil }.map { deadline(of: $0) - now }.min()
    }

    /// Drops what nobody has claimed of a page that is closed.
    mutating func forget(_ page: PageID) {
        started[page] = nil
        pages.removeAll { $0 == page }
        for (number, entry) in entries where entry.page == page && entry.claim == nil { waste(number) }
        traces.removeAll { $0.page == page }
    }

    /// Drops all that is not handed over. Requests that have joined one go on alone.
    mutating func removeAll() {
        for (number, entry) in entries where !entry.isHandedOver { waste(number) }
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

    /// Drops one that is not handed over.
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
