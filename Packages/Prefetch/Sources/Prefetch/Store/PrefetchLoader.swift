// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
public import ResourceLoading

/// A loader that sends the requests of a page when the page is opened, and returns each response once: to the page's
/// own request.
///
/// The page's request gets a complete response immediately, and joins a response in progress. It continues with the
/// next loader if there is no response, if the prefetch request failed, or if the response takes too long. A page
/// request that is cancelled while it waits for the head releases the response. After the head, the page's request owns
/// the response, and its cancellation ends the response.
///
/// It belongs below the loader that sets the cookies of requests, so that accounts can be distinguished. A
/// ``PrefetchCompleting`` adds the cookies of prefetch requests.
///
/// Isolation: any thread.
public final class PrefetchLoader: ResourceLoader {
    /// The configuration of the loader.
    public let configuration: Configuration
    private let next: any ResourceLoader
    let completing: any PrefetchCompleting
    private let store: PrefetchStore

    /// Creates a loader.
    /// - Parameters:
    ///   - next: the loader for prefetch requests, and for requests without a prefetched response.
    ///   - completing: the object that completes prefetch requests.
    ///   - configuration: the limits, and the header fields in which requests may differ.
    ///   - clock: the clock for the age of responses; by default a clock that continues while the device sleeps.
    public init(
        next: any ResourceLoader, completing: any PrefetchCompleting, configuration: Configuration = .init(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.next = next
        self.completing = completing
        self.configuration = configuration
        store = PrefetchStore(configuration, clock: clock)
    }

    /// The counters since the loader was created.
    public var counters: PrefetchCounters { store.read(\.counters) }

    /// The number of responses and requests in progress that wait for their page.
    public var waitingCount: Int { store.read(\.waitingCount) }

    /// Returns the URLs of the GET requests for resources of a page that wait for the page, in progress or complete.
    @_spi(Facade) public func waitingURLs(of page: PageID) -> [String] {
        store.read { $0.unclaimedURLs(of: page) }
    }

    /// Starts requests for a page that is being opened. When the method returns they are in progress, and the page's
    /// own requests join them. No request is sent twice for one page until ``removePage(_:)``.
    public func prefetch(_ requests: [PrefetchRequest], for page: PageReference) {
        guard !requests.isEmpty else { return }
        let numbers = store.change { state, now in state.open(page, requests, at: now) }
        for (number, request) in zip(numbers, requests) {
            guard let number else { continue }
            store.start(number) { [self] in await fetch(request, number, for: page) }
        }
        store.sweep()
    }

    /// Drops the responses that a closed page did not request.
    public func removePage(_ page: PageID) {
        store.change { state, _ in state.discardUnclaimed(page) }
    }

    /// Drops all responses, for example on sign-out. Responses that a page is reading continue.
    public func removeAll() {
        store.change { state, _ in state.removeAll() }
    }

    public nonisolated(nonsending) func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let url = known(request) else { return try await loadNext(request) }
        var request = request
        if let own = try await own(&request, url: url), let response = try await answer(own) { return response }
        return try await loadNext(request)
    }

    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        known(request) == nil ? next.immediateResponse(to: request) : .later
    }
}

// MARK: - The page's own requests

extension PrefetchLoader {
    /// Returns the URL of a request that may have a prefetched response. For most requests the result is `nil`, at very
    /// low cost.
    private func known(_ request: ResourceRequest) -> String? {
        guard request.page != nil, !store.read(\.isEmpty), let url = PrefetchURL(request.head.urlText)?.text,
            store.read({ $0.knows(method: request.head.method.rawValue.uppercased(), url: url) })
        else { return nil }
        return url
    }

    /// Returns a request in the form for comparison, which may require reading its body.
    /// - Returns: `nil` if the body is too long or of unknown length.
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

    /// Returns a Boolean value that indicates whether there is a prefetch request for a call.
    func knows(_ call: PrefetchCall) -> Bool {
        store.read { $0.knows(method: call.method.rawValue, url: call.url.text) }
    }

    /// Returns the prefetched response to a request, or `nil`.
    /// - Parameter waits: a Boolean value that indicates whether to wait for a response in progress.
    nonisolated(nonsending) func answer(_ own: OwnRequest, waits: Bool = true) async throws -> ResourceResponse? {
        var tried: Set<PrefetchState.Number> = []
        while let number = store.change({ state, now in state.claim(own, beside: tried, at: now) }) {
            if let there = store.change({ state, now in state.transfer(number, at: now) }) {
                if let response = response(there, number) { return response }
            } else if waits {
                if let response = try await join(number) { return response }
            } else {
                release(number)
                return nil
            }
            tried.insert(number)
        }
        return nil
    }

    /// Waits for the head of a claimed response.
    /// - Returns: `nil` if the response does not match, has failed, or takes too long.
    private nonisolated(nonsending) func join(_ number: PrefetchState.Number) async throws -> ResourceResponse? {
        let claims = store.read { $0.claims(of: number) }
        let watch = Task { [store, limit = configuration.joinLimit] in
            guard (try? await store.clock.sleep(for: limit)) != nil else { return }
            store.change { state, _ in state.abandon(number, claims: claims) }
        }
        defer { watch.cancel() }
        do {
            let found = try await store.wait(for: number) { state, now in state.transfer(number, at: now) }
            return response(found, number)
        } catch {
            release(number)
            throw error
        }
    }

    private func release(_ number: PrefetchState.Number) {
        store.change { state, now in state.release(number, at: now) }
        store.sweep()
    }

    private func response(
        _ transfer: PrefetchState.Transfer, _ number: PrefetchState.Number
    ) -> ResourceResponse? {
        let (answer, body, how): (PrefetchState.Answer, ResourceBody, String)
        switch transfer {
        case .whole(let whole, let itsBody): (answer, body, how) = (whole, itsBody, "prefetched")
        case .streamed(let begun):
            let stream = ByteStream(PrefetchedBody(store, number), length: begun.length)
            (answer, body, how) = (begun, .stream(stream), "joined")
        case .mismatch:
            // The response waits for another request and expires.
            store.sweep()
            return nil
        case .unavailable: return nil
        }
        var response = ResourceResponse(
            head: answer.head, body: body,
            provenance: Provenance(.prefetch, reason: "\(how); \(answer.provenance.reason)"),
            isInterim: answer.isInterim)
        response.movedTo = answer.movedTo
        return response
    }
}

// MARK: - Cookies of the document

extension PrefetchLoader {
    /// Loads a request from the next loader. If it is for the document of a page and its response sets cookies, the
    /// prefetch requests that would now have other cookies are sent again. All others keep their responses.
    private nonisolated(nonsending) func loadNext(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard request.destination == .document, let page = request.page?.page.id,
            store.read({ $0.hasUnclaimed(of: page) })
        else { return try await next.load(request) }
        let hasStored = Mutex(false)
        var observed = request
        observed.onSetCookie = { setCookies in
            if !setCookies.isEmpty { hasStored.withLock { $0 = true } }
            request.onSetCookie?(setCookies)
        }
        guard let response = try await next.load(observed) else { return nil }
        // A loader that stores cookies removes these fields. Otherwise the engine stores the cookies later.
        let setCookies = response.head.headerFields[values: .setCookie]
        if !setCookies.isEmpty { await completing.record(setCookies, of: request) }
        if !setCookies.isEmpty || hasStored.withLock({ $0 }) { await renewRequests(of: page) }
        return response
    }

    /// Sends the requests again whose `Cookie` field would be different now.
    private func renewRequests(of page: PageID) async {
        for waiting in store.change({ state, _ in state.recordCookieChange(of: page) }) {
            let origin = waiting.origin
            guard let bare = origin.request.resource(for: origin.page),
                let fields = try? await completing.completed(bare).head.headerFields
            else { continue }
            let renewed = store.change { state, now in state.renew(waiting.number, cookie: fields[.cookie], at: now) }
            guard let renewed else { continue }
            store.start(renewed) { [self] in await fetch(origin.request, renewed, for: origin.page) }
        }
        store.sweep()
    }
}

// MARK: - Requests made ahead

extension PrefetchLoader {
    private func fetch(_ request: PrefetchRequest, _ number: PrefetchState.Number, for page: PageReference) async {
        do {
            guard let bare = request.resource(for: page) else {
                throw ResourceError(.invalidRequest, "invalid URL", at: request.url)
            }
            var whole: ResourceRequest
            var isWanted: Bool?
            repeat {
                whole = try await completing.completed(bare)
                let fields = whole.head.headerFields
                isWanted = store.change { state, _ in
                    state.takeOutdated(number) ? nil : state.complete(number, fields: fields)
                }
            } while isWanted == nil
            guard isWanted == true else { return }
            let grant = { @Sendable [store] (setCookies: [String]) in
                store.change { state, _ in state.grant(number, setCookies) }
            }
            // A loader that stores cookies calls `grant` before it stores them, so that the cookies are recorded before
            // the page's own request has them.
            whole.onSetCookie = grant
            let load = { [self] (whole: ResourceRequest) in
                request.isDocument ? try await loadNext(whole) : try await next.load(whole)
            }
            let loaded = try await BackgroundTransfer.$isPrefetch.withValue(true) { [whole] in try await load(whole) }
            guard let response = loaded else {
                throw ResourceError(.internal, "no loader returned a response", at: request.url)
            }
            // These are the cookies that no loader has stored.
            grant(response.head.headerFields[values: .setCookie])
            try await receive(response, number)
        } catch {
            store.change { state, _ in state.fail(number, error) }
        }
    }

    private func receive(_ response: ResourceResponse, _ number: PrefetchState.Number) async throws {
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
                // `false` means that the response is not wanted; `nil` means that there is no capacity yet.
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
