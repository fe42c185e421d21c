// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
public import ResourceLoading

/// A loader that adds an HTTP cache to another loader (RFC 9111).
///
/// Responses are stored while they stream to the reader. Concurrent identical GET requests share one response if it
/// may be reused for them; ``Configuration/readAhead`` limits the distance between their readers. Range requests are
/// served from complete responses and from parts. Parts of one representation are merged.
///
/// The stored bytes keep their content encoding.
///
/// Isolation: any.
public final class CachingLoader: ResourceLoader {
    /// The rules and limits of the cache.
    public let configuration: Configuration
    let next: any ResourceLoader
    let store: any CacheStoring
    let now: @Sendable () -> Date
    /// The clock that measures the silence of the origin during background validations.
    let clock: any Clock<Duration>
    let flights = FlightTable()
    /// The background validations.
    let background = BackgroundWork()
    private let figures = Mutex(CacheCounters())

    var policy: CachePolicy { configuration.policy }

    /// Creates a loader that stores responses in memory.
    /// - Parameters:
    ///   - next: The loader for requests that no stored response can serve.
    ///   - memoryBytes: The maximum number of bytes in memory. With zero, nothing is stored.
    ///   - configuration: The rules and limits; those of a private cache by default.
    public convenience init(
        next: any ResourceLoader, memoryBytes: Int = 10 << 20, configuration: Configuration = .init()
    ) {
        self.init(next: next, store: MemoryCacheStore(capacity: memoryBytes), configuration: configuration)
    }

    /// Creates a loader that stores responses on disk, and small, recently used responses also in memory.
    /// - Parameters:
    ///   - next: The loader for requests that no stored response can serve.
    ///   - memoryBytes: The maximum number of bytes in memory.
    ///   - directory: The path of a directory that nothing else uses. It is created if it does not exist.
    ///   - diskBytes: The maximum number of bytes on disk.
    ///   - configuration: The rules and limits; those of a private cache by default.
    /// - Throws: `StoreError` with code `in-use`, `disk-full` or `io`.
    public convenience init(
        next: any ResourceLoader, memoryBytes: Int = 10 << 20, directory: String, diskBytes: Int64 = 100 << 20,
        configuration: Configuration = .init()
    ) throws {
        let disk = try DiskCacheStore(directory: directory, capacity: diskBytes)
        self.init(
            next: next, store: TieredCacheStore(memory: MemoryCacheStore(capacity: memoryBytes), disk: disk),
            configuration: configuration)
    }

    /// Creates a caching loader.
    /// - Parameters:
    ///   - next: The loader for requests that no stored response can serve.
    ///   - store: The store of responses.
    ///   - configuration: The rules and limits; those of a private cache by default.
    ///   - now: A closure that returns the current time; by default that of the system clock.
    ///   - clock: The clock for background validations. A validation that receives nothing for 60 s is ended.
    init(
        next: any ResourceLoader, store: any CacheStoring, configuration: Configuration = .init(),
        now: @escaping @Sendable () -> Date = { Date() }, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.next = next
        self.store = store
        self.configuration = configuration
        self.now = now
        self.clock = clock
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

    /// Returns a Boolean value that indicates whether the cache handles the URL of a request.
    func isCached(_ request: HTTPRequest) -> Bool {
        (request.scheme == "https" || request.scheme == "http") && request.authority?.isEmpty == false
    }

    /// Forwards a request without using or storing responses. An unsafe request invalidates stored responses of its
    /// URL, as in ``load(_:)``.
    /// - Throws: The error of the next loader.
    public func pass(_ request: ResourceRequest) async throws -> ResourceResponse? {
        guard let response = try await next.load(request) else { return nil }
        await invalidate(by: response.head, to: request.head, key(for: request).partition)
        return response
    }

    /// The totals since the cache was created.
    public var counters: CacheCounters { figures.withLock { $0 } }

    func count(_ change: (inout CacheCounters) -> Void) {
        figures.withLock { change(&$0) }
    }

    /// Waits for background validations, and for received responses that are still being stored.
    public func waitUntilIdle() async {
        await background.waitUntilIdle()
        for flight in flights.ending { await flight.done() }
    }

    /// Cancels background validations, and waits for them and for responses that are being stored. No background
    /// validation starts afterwards. After the shutdown, only requests with unfinished responses use the store.
    public func shutDown() async {
        background.close()
        await waitUntilIdle()
    }

    /// Removes all stored responses. Responses that are being received are not stored either.
    public func removeAll() async {
        flights.invalidateAll()
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
    /// The rules and limits of a cache.
    public struct Configuration: Sendable {
        /// The rules; those of a private cache by default.
        public var policy: CachePolicy
        /// The partitioning that determines which pages share entries; by host by default. With `nil`, as in a reverse
        /// proxy, all pages share entries.
        public var partitioning: (any SitePartitioning)?
        /// The maximum number of bytes in one stored response; 16 MB by default.
        public var largestEntry: Int64
        /// The maximum number of bytes that are buffered for the slowest reader of a response, accurate to one piece;
        /// 256 KB by default. A reader that is further behind is detached if it can obtain the rest.
        public var readAhead: Int

        /// Creates a configuration.
        public init(
            policy: CachePolicy = CachePolicy(), partitioning: (any SitePartitioning)? = .host,
            largestEntry: Int64 = 16 << 20, readAhead: Int = 256 << 10
        ) {
            self.policy = policy
            self.partitioning = partitioning
            self.largestEntry = largestEntry
            self.readAhead = readAhead
        }

        /// The configuration of a cache that serves many users.
        public static var shared: Configuration {
            Configuration(policy: CachePolicy(scope: .shared), partitioning: nil)
        }
    }
}

extension CachingLoader {
    /// Returns a fresh response that is completely in memory. Every other response may require the disk, the origin or
    /// a concurrent request.
    public func immediateResponse(to request: ResourceRequest) -> ImmediateResult {
        let head = request.head
        guard head.method == .get || head.method == .head, isCached(head), case .empty = request.body else {
            return .later
        }
        let key = key(for: request)
        guard let candidates = store.responsesInMemory(for: key), !candidates.isEmpty,
            // A newer response may be in the process of being stored.
            flights.ending(key, notAmong: candidates) == nil,
            // The request may not contain the fields for servers yet.
            !candidates.contains(where: { $0.selectors.contains(where: \.isForServers) }),
            case .use(let stored) = policy.decide(head, candidates: candidates, now: now()), stored.isComplete,
            let found = store.bodyInMemory(of: stored, for: key),
            let response = respond(with: stored, found, to: request, Self.fresh)
        else { return .later }
        return .known(response)
    }
}

extension StoredResponse.Selector {
    /// A Boolean value that indicates whether the field is added only for servers, see
    /// `ResourceLoader.immediateResponse(to:)`.
    fileprivate var isForServers: Bool { name == "referer" || name.hasPrefix("sec-fetch-") }
}

/// The totals of a cache. Each GET or HEAD request that the cache handled is counted once, by the source of its
/// response.
public struct CacheCounters: Sendable, Hashable {
    /// The number of responses from memory.
    public var memoryHits = 0
    /// The number of responses from disk.
    public var diskHits = 0
    /// The number of hits that were validated at the origin first.
    public var validated = 0
    /// The number of responses shared with a concurrent identical request.
    public var shared = 0
    /// The number of responses from the next loader.
    public var misses = 0
    /// The number of readers of shared responses that were detached because they were too slow.
    public var detached = 0

    /// Creates the default options.
    public init() {}
}
