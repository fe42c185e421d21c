// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
internal import HTTPTypes
public import ResourceLoading

/// An HTTP cache before any loader (RFC 9111).
///
/// What may be stored is, while it streams to the reader. GET requests that are the same while one is under way share
/// it, where what comes may be reused for them; ``Configuration/readAhead`` limits how far their readers may be apart.
/// Range requests are answered from whole responses and from parts; parts of one representation are put together.
///
/// Bytes are kept as they come, encoded.
///
/// Isolation: any.
public final class CachingLoader: ResourceLoader {
    /// What the cache was made with.
    public let configuration: Configuration
    let next: any ResourceLoader
    let store: any CacheStoring
    let now: @Sendable () -> Date
    /// Times the silence of validations that no request waits for.
    let clock: any Clock<Duration>
    let flights = FlightTable()
    /// Validations that no request waits for.
    let background: BackgroundWork
    private let figures = Mutex(CacheCounters())

    var policy: CachePolicy { configuration.policy }

    /// - Parameters:
    ///   - next: asked for what is not stored.
    ///   - store: keeps responses. Default: 10 MB in memory.
    ///   - configuration: the rules and limits. Default: those of a private cache.
    ///   - now: the time. Default: the system's clock.
    ///   - clock: times validations that no request waits for: one that brings nothing for 60 s is ended.
    public init(
        next: any ResourceLoader, store: any CacheStoring = MemoryCacheStore(), configuration: Configuration = .init(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.next = next
        self.store = store
        self.configuration = configuration
        self.now = now
        self.clock = clock
        background = BackgroundWork(limit: configuration.revalidationLimit)
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard isCached(request.head) else { return try await next.load(request) }
        let key = key(for: request)
        switch request.head.method {
        case .get where request.body.length == 0: return try await answer(request, key)
        case .head: return try await answerHead(request, key)
        case let method where Invalidation.isSafe(method): return try await next.load(request)
        default: return try await change(request, key)
        }
    }

    /// Whether the cache is for requests to such a URL.
    func isCached(_ request: HTTPRequest) -> Bool {
        (request.scheme == "https" || request.scheme == "http") && request.authority?.isEmpty == false
    }

    /// Passes on a request that the cache is not for: nothing stored answers it, and nothing of its answer is stored.
    /// Where it changes something, what is stored of its URL is no longer right and goes, as after ``load(_:)``.
    /// - Throws: what the next loader throws.
    public func pass(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let response = try await next.load(request) else { return nil }
        await invalidate(by: response.head, to: request.head, key(for: request).partition)
        return response
    }

    /// What was counted since the cache was made.
    public var counters: CacheCounters { figures.withLock { $0 } }

    func count(_ change: (inout CacheCounters) -> Void) {
        figures.withLock { change(&$0) }
    }

    /// Waits for the validations under way that no request waits for, and for answers that have come and are being
    /// stored.
    public func waitUntilIdle() async {
        await background.waitUntilIdle()
        for flight in flights.ending { await flight.done() }
    }

    /// Ends the validations under way that no request waits for, and waits for them and for what is being stored. None is
    /// begun any more. After that the store is in use only by requests whose answers are still coming.
    public func shutDown() async {
        background.close()
        await waitUntilIdle()
    }

    /// Removes all that is stored; what is on its way is not stored either.
    public func removeAll() async {
        flights.doomAll()
        await store.removeAll()
    }

    func key(for request: ResourceRequest) -> CacheKey {
        let url = request.head.urlText
        guard let partitioning = configuration.partitioning else { return CacheKey(partition: "", url: url) }
        let document = request.destination == .document ? url : request.page?.page.documentURL
        return CacheKey(partition: document.map { partitioning.site(of: $0) } ?? "", url: url)
    }
}
