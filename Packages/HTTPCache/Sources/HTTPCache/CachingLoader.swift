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

extension CachingLoader {
    /// What a cache may be told.
    public struct Configuration: Sendable {
        /// The rules. Default: those of a private cache.
        public var policy: CachePolicy
        /// Says which pages share entries; `nil` for all, as a reverse proxy wants. Default: those of one host.
        public var partitioning: (any SitePartitioning)?
        /// The most bytes of one stored response. Default: 16 MB.
        public var largestEntry: Int64
        /// The most bytes of one answer that wait for its slowest reader, a piece apart; one that is further behind is
        /// left to go on alone, where that can be. Default: 256 KB.
        public var readAhead: Int
        /// The most variants of one URL; the oldest goes for another. Default: 16.
        public var variantLimit: Int
        /// The most validations at a time that no request waits for. Default: 8.
        public var revalidationLimit: Int

        public init(
            policy: CachePolicy = CachePolicy(), partitioning: (any SitePartitioning)? = .host,
            largestEntry: Int64 = 16 << 20, readAhead: Int = 256 << 10, variantLimit: Int = 16,
            revalidationLimit: Int = 8
        ) {
            self.policy = policy
            self.partitioning = partitioning
            self.largestEntry = largestEntry
            self.readAhead = readAhead
            self.variantLimit = variantLimit
            self.revalidationLimit = revalidationLimit
        }

        /// For a cache that serves many users.
        public static var shared: Configuration {
            Configuration(policy: CachePolicy(scope: .shared), partitioning: nil)
        }
    }
}

extension CachingLoader {
    /// Answers with a fresh response that lies in memory whole. All else may have to wait: for the disk, for the origin,
    /// or for another's request.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        let head = request.head
        guard head.method == .get || head.method == .head, isCached(head), case .empty = request.body else {
            return .later
        }
        let key = key(for: request)
        guard let candidates = store.responsesInMemory(for: key), !candidates.isEmpty,
            // A newer response may be on its way into the store.
            flights.ending(key, notAmong: candidates) == nil,
            // The request may not have these yet.
            !candidates.contains(where: { $0.selectors.contains(where: \.isForServers) }),
            case .use(let stored) = policy.decide(head, candidates: candidates, now: now()), stored.isComplete,
            let found = store.bodyInMemory(of: stored, for: key),
            let response = respond(with: stored, found, to: request, Self.fresh)
        else { return .later }
        return .known(response)
    }
}

extension StoredResponse.Selector {
    /// Whether only servers are told of the field, see `ResourceLoader.immediateResponse(to:)`.
    fileprivate var isForServers: Bool { name == "referer" || name.hasPrefix("sec-fetch-") }
}

/// What a cache has counted since it was made. Each GET and HEAD that it answered is counted once, by where the answer
/// came from.
public struct CacheCounters: Sendable, Hashable {
    /// Answers from memory.
    public var memoryHits = 0
    /// Answers from disk.
    public var diskHits = 0
    /// How many of the hits the origin was asked about first.
    public var validated = 0
    /// Answers that others had asked for, and that were shared while they came.
    public var shared = 0
    /// Answers of the next loader.
    public var misses = 0
    /// Readers of a shared answer that were too slow for the others and went on alone.
    public var detached = 0

    public init() {}
}
