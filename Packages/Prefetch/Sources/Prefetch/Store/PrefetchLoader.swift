// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import HTTPTypes
public import ResourceLoading

/// Makes the requests of a page when it is opened, and hands each answer over once: to the page's own request.
///
/// That takes the answer where it is there, joins it where it is on its way, and goes on to the next loader where there
/// is none, where it failed, or where it does not come in time. A page that leaves while it waits for the head of an
/// answer gives that back, and may ask again; after that the answer is its own, and ends with it.
///
/// Stands below whatever gives requests their cookies, so that accounts can be told apart; requests made ahead have
/// theirs from a ``PrefetchCompleting``.
///
/// Isolation: any.
public final class PrefetchLoader: ResourceLoader {
    /// What it was made with.
    public let configuration: Configuration
    private let next: any ResourceLoader
    let completing: any PrefetchCompleting
    private let store: PrefetchStore

    /// - Parameters:
    ///   - next: answers requests made ahead, and those for which nothing was.
    ///   - completing: completes requests made ahead.
    ///   - configuration: the limits, and the header fields in which requests may differ.
    ///   - clock: by which answers age. Default: a clock that goes on while the device sleeps.
    public init(
        next: any ResourceLoader, completing: any PrefetchCompleting, configuration: Configuration = .init(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.next = next
        self.completing = completing
        self.configuration = configuration
        store = PrefetchStore(configuration, clock: clock)
    }

    /// What was counted since this was made.
    public var counters: PrefetchCounters { store.read(\.counters) }

    /// How many answers and requests under way wait for their page.
    public var waitingCount: Int { store.read(\.waitingCount) }

    /// Makes requests for a page that is being opened. They are under way when this returns: from then on the page's
    /// own join them. None is made twice for one page until ``forget(_:)``.
    public func prefetch(_ requests: [PrefetchRequest], for page: PageReference) {
        guard !requests.isEmpty else { return }
        let numbers = store.change { state, now in state.open(page.id, requests.map(\.identity), at: now) }
        for (number, request) in zip(numbers, requests) {
            guard let number else { continue }
            store.start(number) { [self] in await fetch(request, number, for: page) }
        }
        store.sweep()
    }

    /// Drops what a page that is closed did not ask for.
    public func forget(_ page: PageID) {
        store.change { state, _ in state.forget(page) }
    }

    /// Drops all, as on sign-out; what a page is reading already goes on.
    public func removeAll() {
        store.change { state, _ in state.removeAll() }
    }

    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let url = known(request) else { return try await next.load(request) }
        var request = request
        if let own = try await own(&request, url: url), let response = try await answer(own) { return response }
        return try await next.load(request)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        known(request) == nil ? next.immediateResponse(to: request) : .later
    }
}

// MARK: - The page's own requests

extension PrefetchLoader {
    /// The URL of a request that may have been made ahead. Most requests have none, and cost next to nothing.
    private func known(_ request: ResourceRequest) -> String? {
        guard request.page != nil, !store.read(\.isEmpty), let url = PrefetchURL(request.head.urlText)?.text,
            store.read({ $0.knows(method: request.head.method.rawValue.uppercased(), url: url) })
        else { return nil }
        return url
    }

    /// Makes a request comparable, for which its body may have to be read.
    /// - Returns: `nil` where the body is too large for that, or of unknown length.
    private nonisolated(nonsending) func own(
        _ request: inout ResourceRequest, url: String
    ) async throws -> OwnRequest? {
        guard let page = request.page, let length = request.body.length, length <= configuration.maxBodyBytes else {
            return nil
        }
        let body = try await request.body.collect(upTo: configuration.maxBodyBytes)
        if case .stream = request.body { request.body = body.isEmpty ? .empty : .bytes(body) }
        let identity = RequestIdentity(
            method: request.head.method.rawValue.uppercased(), url: url, body: RequestIdentity.Body(body),
            isDocument: request.destination == .document)
        return OwnRequest(identity: identity, fields: request.head.headerFields, page: page)
    }

    /// Whether a call's request was made ahead.
    func knows(_ call: PrefetchCall) -> Bool {
        store.read { $0.knows(method: call.method.rawValue, url: call.url.text) }
    }

    /// - Parameter waits: whether an answer on its way is waited for.
    nonisolated(nonsending) func answer(_ own: OwnRequest, waits: Bool = true) async throws -> ResourceResponse? {
        var tried: Set<PrefetchState.Number> = []
        while let number = store.change({ state, now in state.claim(own, beside: tried, at: now) }) {
            if let there = store.change({ state, now in state.handOver(number, at: now) }) {
                if let response = response(there, number) { return response }
            } else if waits {
                if let response = try await join(number) { return response }
            } else {
                giveBack(number)
                return nil
            }
            tried.insert(number)
        }
        return nil
    }

    /// Waits for the head of what is claimed.
    /// - Returns: `nil` where it is not for this request, has failed, or does not come in time.
    private nonisolated(nonsending) func join(_ number: PrefetchState.Number) async throws -> ResourceResponse? {
        let claims = store.read { $0.claims(of: number) }
        let watch = Task { [store, limit = configuration.joinLimit] in
            guard (try? await store.clock.sleep(for: limit)) != nil else { return }
            store.change { state, _ in state.abandon(number, claims: claims) }
        }
        defer { watch.cancel() }
        do {
            let found = try await store.wait(for: number) { state, now in state.handOver(number, at: now) }
            return response(found, number)
        } catch {
            giveBack(number)
            throw error
        }
    }

    private func giveBack(_ number: PrefetchState.Number) {
        store.change { state, now in state.release(number, at: now) }
        store.sweep()
    }

    private func response(
        _ handOver: PrefetchState.HandOver, _ number: PrefetchState.Number
    ) -> ResourceResponse? {
        let (answer, body, how): (PrefetchState.Answer, ResourceBody, String)
        switch handOver {
        case .whole(let whole, let itsBody): (answer, body, how) = (whole, itsBody, "fetched ahead")
        case .streamed(let begun):
            let stream = ByteStream(PrefetchedBody(store, number), length: begun.length)
            (answer, body, how) = (begun, .stream(stream), "joined")
        case .mismatch:
            // It waits for another one, and ages.
            store.sweep()
            return nil
        case .gone: return nil
        }
        var response = ResourceResponse(
            head: answer.head, body: body,
            provenance: Provenance(.prefetch, reason: "\(how); \(answer.provenance.reason)"),
            isInterim: answer.isInterim)
        response.movedTo = answer.movedTo
        return response
    }
}

// MARK: - Requests made ahead

extension PrefetchLoader {
    private func fetch(_ request: PrefetchRequest, _ number: PrefetchState.Number, for page: PageReference) async {
        do {
            guard let bare = request.resource(for: page) else {
                throw ResourceError(.invalidRequest, "no URL", at: request.url)
            }
            var whole = try await completing.completed(bare)
            let fields = whole.head.headerFields
            guard store.change({ state, _ in state.complete(number, fields: fields) }) else { return }
            let grant = { @Sendable [store] (setCookies: [String]) in
                store.change { state, _ in state.grant(number, setCookies) }
            }
            // A loader that stores the cookies calls it first, so that the page's own request with these cookies finds them
            // granted.
            whole.onSetCookie = grant
            guard let response = try await next.load(whole) else {
                throw ResourceError(.internal, "no loader answered", at: request.url)
            }
            // No loader has stored these.
            grant(response.head.headerFields[values: .setCookie])
            try await keep(response, number)
        } catch {
            store.change { state, _ in state.fail(number, error) }
        }
    }

    private func keep(_ response: ResourceResponse, _ number: PrefetchState.Number) async throws {
        let answer = PrefetchState.Answer(
            head: response.head, provenance: response.provenance, isInterim: response.isInterim,
            movedTo: response.movedTo, length: response.body.length)
        guard case .stream(let stream) = response.body else {
            store.change { state, now in _ = state.answer(number, answer, body: response.body, at: now) }
            return
        }
        guard store.change({ state, now in state.answer(number, answer, body: nil, at: now) }) else { return }
        var pieces = stream.makeAsyncIterator()
        while true {
            let isWanted = try await store.wait(for: number) { state, _ -> Bool? in
                // Not wanted is an answer; no room is none.
                guard let hasCapacity = state.hasCapacity(number) else { return false }
                return hasCapacity ? true : nil
            }
            guard isWanted else { return }
            guard let piece = try await pieces.next() else { break }
            if !piece.isEmpty { store.change { state, _ in state.append(number, piece) } }
        }
        store.change { state, now in state.end(number, at: now) }
    }
}

extension PrefetchLoader {
    /// What a prefetch may be told.
    public struct Configuration: Sendable {
        /// How long an answer is good after its head has come; a request that brings none by then is ended.
        /// Default: 30 s.
        public var maxAge = Duration.seconds(30)
        /// How long a page's request waits for the head of the answer that it has joined before it goes on alone.
        /// Default: 10 s.
        public var joinLimit = Duration.seconds(10)
        /// The most requests at a time, under way or answered. Default: 64.
        public var maxCount = 64
        /// The most bytes of all answers that wait for a page, a piece of each apart: an answer that has no room comes
        /// on when it has been asked for. Default: 8 MiB.
        public var maxBytes = 8 << 20
        /// The most bytes of one answer that wait for a page, a piece apart. Default: 1 MiB.
        public var maxAnswerBytes = 1 << 20
        /// The most bytes of an answer that wait for the reader who has taken it, a piece apart. Default: 256 KiB.
        public var readAhead = 256 << 10
        /// The most bytes of a page's request body that are compared; a request with more goes on alone.
        /// Default: 64 KiB.
        public var maxBodyBytes = 64 << 10
        /// Fields in which a page's request may differ from the one made ahead, in lower case; beside them those whose
        /// names begin with `sec-`. All others must be the same, an unknown one above all: it may say who asks. What
        /// the answer's `Vary` names must be the same in any case. Default: ``standardIgnoredFields``.
        public var ignoredFields = Self.standardIgnoredFields

        public init() {}

        /// What says how an answer is to look or travel, and not who asks for what.
        public static let standardIgnoredFields: Set<String> = [
            "accept", "accept-encoding", "connection", "content-length", "content-type", "dnt", "host", "keep-alive",
            "priority", "referer", "save-data", "te", "upgrade-insecure-requests", "user-agent", "x-requested-with",
        ]
    }
}

/// Completes requests that are made ahead with what the engine would add.
public protocol PrefetchCompleting: Sendable {
    /// Adds cookies, languages, user agent, origin and referrer to a request, as the page's own will have them where it
    /// reaches the prefetch.
    ///
    /// An answer goes to a request with the same of them only, see ``PrefetchLoader/Configuration/ignoredFields``.
    /// - Parameter request: a request of the page in `ResourceRequest.page`, with no header field but `Content-Type`.
    /// - Throws: anything, where the request is not to be made.
    func completed(_ request: ResourceRequest) async throws -> ResourceRequest
}
