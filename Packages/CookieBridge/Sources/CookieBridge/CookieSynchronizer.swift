// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import CookieJar
internal import PublicSuffixList
public import ResourceLoading
public import WebEngine

/// The owner of the cookies of a container's pages: the jar, its file, and the synchronization with the engine's store.
///
/// Isolation: any thread; the jar has its own lock.
@_spi(Facade) public final class CookieSynchronizer: Sendable {
    /// The jar that holds the cookies.
    public let jar: CookieStore
    /// The cookies of the jar for page requests and scripts.
    public let pages: PageCookies
    private let file: CookieFile?
    private let reconciler: CookieReconciler?
    /// A Boolean value that indicates whether the engine's store is synchronized with the jar.
    public var coversEngine: Bool { reconciler != nil }
    private let delegate: any CookieSynchronizerDelegate
    /// A Boolean value that indicates whether pages open without waiting, because a page has waited for the engine's
    /// store up to the limit.
    private let isBehind = Mutex(false)

    /// The longest time for which pages open without waiting for a store that does not respond. After this time a page
    /// waits again. The reconciler stops retrying a store earlier.
    private static let patience = Duration.seconds(60)

    /// Creates a synchronizer: opens the jar and reads its file.
    /// - Parameters:
    ///   - options: the options of the jar, its file and the synchronization.
    ///   - directory: the folder of the file.
    ///   - engine: the engine's store to synchronize, if pages that the container opens may also use it; `nil` for
    ///     none.
    ///   - clock: the clock that times waits and limits.
    ///   - delegate: the receiver of events.
    @MainActor
    public init(
        _ options: CookieOptions, directory: String, engine: (any EngineCookieStore)?,
        clock: any Clock<Duration> = ContinuousClock(), delegate: any CookieSynchronizerDelegate
    ) {
        self.delegate = delegate
        (jar, file) = Self.openJar(options, in: directory, delegate)
        pages = PageCookies(jar: jar, acceptsThirdParties: options.acceptsThirdParties)
        reconciler = engine.map { [jar] engine in
            var configuration = CookieReconciler.Configuration()
            configuration.barrierLimit = options.openLimit
            configuration.transferLimit = options.transferLimit
            configuration.report = { delegate.record(.storesDiffer($0)) }
            return CookieReconciler(
                [.engine: EngineCookies(engine, clock: clock), .jar: JarCookieStore(jar: jar)],
                configuration: configuration, clock: clock)
        }
    }

    private static func openJar(
        _ options: CookieOptions, in directory: String, _ delegate: any CookieSynchronizerDelegate
    ) -> (CookieStore, CookieFile?) {
        guard options.isPersistent else {
            return (CookieStore(publicSuffixes: SuffixList(), limits: options.limits), nil)
        }
        var fileOptions = CookieFile.Options()
        fileOptions.onFailure = { delegate.record(.fileNotWritten($0)) }
        let file = CookieFile(path: directory + "/cookies.json", options: fileOptions)
        var cookies: [Cookie] = []
        do {
            let contents = try file.load()
            cookies = contents.cookies
            if let damage = contents.damage { delegate.record(.fileDamaged(damage)) }
        } catch {
            // The jar starts without the cookies of the file.
            delegate.record(.fileNotRead(error))
        }
        let jar = CookieStore(publicSuffixes: SuffixList(), limits: options.limits, cookies: cookies)
        file.follow(jar)
        return (jar, file)
    }

    /// Starts the synchronization.
    /// - Throws: `CookieBridgeError` with code `stopped` after ``shutDown()``.
    public func start() async throws {
        try await reconciler?.start()
    }

    /// The counters of the synchronization; `nil` if there is none.
    public var counters: CookieCounters? {
        get async { await reconciler?.counters }
    }

    /// Waits until both stores have all earlier changes of each other, at most for the limit of the options. After a
    /// timeout, calls return immediately until the store responds again, for at most a minute.
    public func waitUntilSynchronized() async {
        guard let reconciler, !isBehind.withLock({ $0 }) else { return }
        do {
            try await reconciler.barrier(reading: [.jar, .engine])
        } catch {
            delegate.record(.pageNotSynchronized(error))
            if (error as? CookieBridgeError)?.code == .timedOut { await waitInBackground(reconciler) }
        }
    }

    /// Makes pages open without waiting, and starts a task that waits for the store.
    @MainActor
    private func waitInBackground(_ reconciler: CookieReconciler) {
        // Only the first of several pages that open at the same time starts the task.
        let isFirst = isBehind.withLock { isBehind in
            defer { isBehind = true }
            return !isBehind
        }
        guard isFirst else { return }
        delegate.engineStoreChanged(isBehind: true)
        Task { [weak self, delegate] in
            do {
                try await reconciler.barrier(within: Self.patience)
                delegate.record(.engineStoreAnswers)
            } catch let error as CookieBridgeError where error.code == .stopped {
                return
            } catch {
                delegate.record(.engineStoreSilent(error))
            }
            guard let self else { return }
            isBehind.withLock { $0 = false }
            delegate.engineStoreChanged(isBehind: false)
        }
    }

    /// Loads a response, and returns it when the engine's store has its cookies or the limit of the options is reached.
    /// - Throws: the error of `load`.
    @MainActor
    public func transferringCookies(
        _ load: @MainActor () async throws -> ResourceResponse
    ) async throws -> ResourceResponse {
        guard let reconciler else { return try await load() }
        let changes = pages.processor.beginRecording()
        defer { pages.processor.end(changes) }
        let response = try await load()
        if let identities = changes.identities, identities.isEmpty { return response }
        if await !reconciler.waitForTransfer(from: .jar, of: changes.identities) {
            delegate.record(.responseNotSynchronized)
        }
        return response
    }

    /// Clears the cookies of a scope in both stores.
    /// - Throws: `CookieBridgeError` or `CookieFileError`. The jar is cleared even if an error is thrown.
    public func clear(_ scope: CookieScope) async throws {
        pages.processor.clear(scope)
        do {
            try await reconciler?.clear(scope)
        } catch {
            // Write the cleared jar to the file even if the engine's store failed.
            await flush()
            throw error
        }
        try await file?.flush()
    }

    /// Writes all pending changes to the file. The delegate receives a failure.
    public func flush() async {
        do {
            try await file?.flush()
        } catch {
            delegate.record(.fileNotWritten(error))
        }
    }

    /// Stops the synchronization and writes the file.
    public func shutDown() async {
        await reconciler?.stop()
        await flush()
    }

    /// An event of a ``CookieSynchronizer``, for logs.
    @_spi(Facade) public enum Event: Sendable {
        /// A store lost its cookies or cannot apply a change, so that the stores may differ.
        case storesDiffer(Reconciliation.Fault)
        /// The file cannot be read; its cookies are not in the jar.
        case fileNotRead(any Error)
        /// The file was damaged and has been moved aside; its cookies are not in the jar.
        case fileDamaged(CookieFile.Damage)
        /// The file cannot be written.
        case fileNotWritten(any Error)
        /// A page opens before both stores have the same cookies.
        case pageNotSynchronized(any Error)
        /// A page receives a response before the engine's store has its cookies.
        case responseNotSynchronized
        /// The engine's store responds again after it did not respond to a page in time.
        case engineStoreAnswers
        /// The engine's store did not respond for a minute.
        case engineStoreSilent(any Error)
    }
}

/// The receiver of the events of a ``CookieSynchronizer``.
@_spi(Facade) public protocol CookieSynchronizerDelegate: Sendable {
    /// Records an event. It is called on any thread and must not block.
    func record(_ event: CookieSynchronizer.Event)

    /// Receives `true` when pages stop waiting for the engine's store because it does not respond in time, and `false`
    /// when they wait for it again.
    @MainActor func engineStoreChanged(isBehind: Bool)
}
