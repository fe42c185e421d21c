// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import CookieJar
internal import Foundation
internal import PublicSuffixList
public import ResourceLoading
public import WebEngine

/// The owner of the cookies of a container's pages: the jar, its file, and the synchronization of the jar, the engine's
/// store, the sites of the local server and the app's storage.
///
/// Isolation: any thread; the jar has its own lock.
@_spi(Facade) public final class CookieSynchronizer: Sendable {
    /// The jar that holds the cookies; `nil` if the engine stores the cookies of all pages.
    public let jar: CookieStore?
    /// The cookies of the jar for page requests and scripts; `nil` without a jar.
    public let pages: PageCookies?
    private let file: CookieFile?
    private let native: NativeCookies?
    private let server: ServerCookies?
    private let refresh: NativeRefresh?
    private let reconciler: CookieReconciler?
    /// A Boolean value that indicates whether the engine's store is synchronized.
    public var coversEngine: Bool { reconciler != nil }
    private let delegate: any CookieSynchronizerDelegate
    /// A Boolean value that indicates whether pages open without waiting, because a page has waited for the engine's
    /// store up to the limit.
    private let isBehind = Mutex(false)

    /// The task that waits for the removals of ``start()``.
    let removal = Mutex<Task<Void, Never>?>(nil)

    /// The longest time for which pages open without waiting for a store that does not respond. After this time a page
    /// waits again. The reconciler stops retrying a store earlier.
    private static let patience = Duration.seconds(60)

    /// Creates a synchronizer: opens the jar and reads its file. The app's storage is not touched before ``start()``.
    /// - Parameters:
    ///   - options: the options of the jar, its file and the synchronization.
    ///   - directory: the folder of the files.
    ///   - hasJar: a Boolean value that indicates whether the container sends and stores cookies of pages itself.
    ///   - engine: the engine's store to synchronize; `nil` for none.
    ///   - token: the name of the access token of the local server; `nil` if no pages are at a local server. The token
    ///     stays in the engine.
    ///   - clock: the clock that times waits and limits.
    ///   - delegate: the receiver of events.
    @MainActor
    public init(
        _ options: CookieOptions, directory: String, hasJar: Bool = true, engine: (any EngineCookieStore)?,
        localServerToken token: String? = nil, clock: any Clock<Duration> = ContinuousClock(),
        delegate: any CookieSynchronizerDelegate
    ) {
        self.delegate = delegate
        (jar, file) =
            hasJar
            ? Self.openJar(options.isPersistent ? directory + "/cookies.json" : nil, options.limits, delegate)
            : (nil, nil)
        // Without the engine's store, no reconciler synchronizes the storage.
        let isPersistent = options.isPersistent && engine?.isEphemeral != true
        native =
            engine == nil ? nil : Self.native(options, in: directory, isPersistent: isPersistent, delegate)
        var stores: [(CookieStoreID, any CookieStoring)] = []
        if let native { stores.append((.native, native)) }
        if let engine {
            let hasLocalServer = token != nil
            let adapter = EngineCookies(engine, clock: clock) { !hasLocalServer || !$0.isOfLocalhost }
            stores.append((.engine, adapter))
        }
        server = engine.flatMap { engine in
            token.map { token in
                ServerCookies(
                    engine, token: token,
                    record: Self.serverRecord(in: directory, isPersistent: isPersistent, delegate),
                    clock: clock)
            }
        }
        if let server { stores.append((.server, server)) }
        if let jar { stores.append((.jar, JarCookieStore(jar: jar))) }
        var configuration = CookieReconciler.Configuration()
        configuration.barrierLimit = options.openLimit
        configuration.transferLimit = options.transferLimit
        configuration.report = { delegate.record(.storesDiffer($0)) }
        let reconciler = engine.map { _ in CookieReconciler(stores, configuration: configuration, clock: clock) }
        refresh = native.flatMap { native in reconciler.map { NativeRefresh(native, $0, to: .engine) } }
        let jarRefresh = native.flatMap { native in reconciler.map { NativeRefresh(native, $0, to: .jar) } }
        pages = jar.map { jar in
            var pages = PageCookies(jar: jar, acceptsThirdParties: options.acceptsThirdParties)
            pages.refresh = jarRefresh
            return pages
        }
        self.reconciler = reconciler
    }

    /// - Parameter isPersistent: a Boolean value that indicates whether cookies of pages may be on disk.
    private static func native(
        _ options: CookieOptions, in directory: String, isPersistent: Bool, _ delegate: any CookieSynchronizerDelegate
    ) -> NativeCookies? {
        guard options.native.isUsed else { return nil }
        let path = directory + "/native-cookies.json"
        let (entries, file) = openRecord(path, NativeCookieRecord.limits, isPersistent: isPersistent, delegate)
        return NativeCookies(
            options.native,
            record: NativeCookieRecord(entries, file: file, kind: options.native.kind) {
                delegate.record(.fileNotWritten($0))
            }, keepsExpiry: isPersistent, reportsRemovals: options.reportsRemovals)
    }

    /// - Parameter isPersistent: a Boolean value that indicates whether cookies of pages may be on disk.
    private static func serverRecord(
        in directory: String, isPersistent: Bool, _ delegate: any CookieSynchronizerDelegate
    ) -> ServerCookieRecord {
        let path = directory + "/server-cookies.json"
        let (entries, file) = openRecord(path, ServerCookieRecord.limits, isPersistent: isPersistent, delegate)
        return ServerCookieRecord(entries, file: file) { delegate.record(.fileNotWritten($0)) }
    }

    /// Opens the jar of a record. If it is not persistent, removes its file.
    private static func openRecord(
        _ path: String, _ limits: CookieStore.Limits, isPersistent: Bool, _ delegate: any CookieSynchronizerDelegate
    ) -> (CookieStore, CookieFile?) {
        // The file of an earlier process lists the sites of its pages.
        if !isPersistent { try? FileManager.default.removeItem(atPath: path) }
        return openJar(isPersistent ? path : nil, limits, delegate)
    }

    /// Opens a jar and reads its file.
    /// - Parameter path: the path of the file; `nil` for no file.
    private static func openJar(
        _ path: String?, _ limits: CookieStore.Limits, _ delegate: any CookieSynchronizerDelegate
    ) -> (CookieStore, CookieFile?) {
        guard let path else { return (CookieStore(publicSuffixes: SuffixList(), limits: limits), nil) }
        var fileOptions = CookieFile.Options()
        fileOptions.onFailure = { delegate.record(.fileNotWritten($0)) }
        let file = CookieFile(path: path, options: fileOptions)
        var cookies: [Cookie] = []
        do {
            let contents = try file.load()
            cookies = contents.cookies
            if let damage = contents.damage { delegate.record(.fileDamaged(damage)) }
        } catch {
            // The jar starts without the cookies of the file.
            delegate.record(.fileNotRead(error))
        }
        let jar = CookieStore(publicSuffixes: SuffixList(), limits: limits, cookies: cookies)
        file.follow(jar)
        return (jar, file)
    }

    /// Starts the synchronization. Cookies that the app has removed from its storage since the last process are removed
    /// from the other stores. They are recorded until no store has them, so that a kill does not restore them.
    /// - Throws: `CookieBridgeError` with code `stopped` after ``shutDown()``.
    public func start() async throws {
        guard let reconciler else { return }
        let removed = await native?.begin() ?? []
        try await reconciler.start(deleting: removed)
        guard !removed.isEmpty else { return }
        let task = Task { [native, file] in
            do {
                try await reconciler.barrier(within: Self.patience)
                try await file?.flush()
            } catch {
                // The next process removes the cookies again.
                return
            }
            await native?.removed(removed)
        }
        removal.withLock { $0 = task }
    }

    /// Returns the engine's store for requests that the container makes in place of the engine. Its reads include the
    /// changes of the app's storage.
    @MainActor
    public func refreshed(_ engine: any EngineCookieStore) -> any EngineCookieStore {
        refresh.map { RefreshedCookieStore(engine, $0) } ?? engine
    }

    // MARK: The local server

    /// Gives a site of the local server the cookies of its host, before a page of the site loads. Returns at once if
    /// there is no local server, and for a site that has them.
    /// - Parameters:
    ///   - url: a real URL of the site.
    ///   - name: the local name of the site.
    /// - Throws: `EngineError`.
    public func serve(_ url: String, named name: String) async throws {
        guard let server, let url = CookieURL(url) else { return }
        try await server.serve(url, named: name)
    }

    /// Records the domains of the cookies that a response of the local server sets, before the engine receives it.
    /// - Parameters:
    ///   - setCookies: the values of the fields `Set-Cookie`.
    ///   - url: the real URL of the request.
    ///   - name: the local name of the site.
    public func record(setCookies: [String], from url: String, at name: String) {
        guard let server, let url = CookieURL(url) else { return }
        server.record.record(setCookies: setCookies, from: url, at: name)
    }

    /// Returns a copy of the current cookies of the local server's sites, with their real domains; `nil` without a
    /// local server.
    /// - Throws: `EngineError`.
    public func serverPages() async throws -> PageCookies? {
        guard let server else { return nil }
        let cookies = try await server.cookies()
        return PageCookies(
            jar: CookieStore(publicSuffixes: SuffixList(), cookies: cookies), acceptsThirdParties: false)
    }

    // MARK: Waiting

    /// Starts a transfer if the app's storage has changed, without waiting for it.
    public func checkNative() { native?.check() }

    /// The counters of the synchronization; `nil` if there is none.
    public var counters: CookieCounters? {
        get async { await reconciler?.counters }
    }

    /// Waits until a page may open: all stores have the earlier changes of each other, at most for the limit of the
    /// options. After a timeout, calls return immediately until the stores respond again, for at most a minute.
    ///
    /// Without a jar and a local server, the engine's store is not read again, because pages have its cookies at once.
    /// The call then returns immediately if the app does not use its storage.
    public func waitUntilSynchronized() async {
        let keepsAll = jar == nil && server == nil
        if keepsAll, native?.isUnused != false { return }
        await wait(reading: keepsAll ? [.native] : Self.all)
    }

    /// Waits until all stores have the earlier changes of each other, like ``waitUntilSynchronized()``. All stores are
    /// read.
    public func synchronize() async { await wait(reading: Self.all) }

    private static let all: Set<CookieStoreID> = [.native, .engine, .server, .jar]

    private func wait(reading stores: Set<CookieStoreID>) async {
        guard let reconciler, !isBehind.withLock({ $0 }) else { return }
        do {
            try await reconciler.barrier(reading: stores)
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
        refresh?.isBehind.withLock { $0 = true }
        delegate.engineStoreChanged(isBehind: true)
        Task { [weak self, delegate, refresh] in
            defer { refresh?.isBehind.withLock { $0 = false } }
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
        guard let reconciler, let pages else { return try await load() }
        let changes = pages.processor.beginRecording()
        defer { pages.processor.end(changes) }
        let response = try await load()
        if let identities = changes.identities, identities.isEmpty { return response }
        if await !reconciler.waitForTransfer(from: .jar, of: changes.identities) {
            delegate.record(.responseNotSynchronized)
        }
        return response
    }

    /// Clears the cookies of a scope in all stores, the app's storage among them.
    /// - Throws: `CookieBridgeError` or `CookieFileError`. The jar is cleared even if an error is thrown.
    public func clear(_ scope: CookieScope) async throws {
        pages?.processor.clear(scope)
        do {
            try await reconciler?.clear(scope)
        } catch {
            // Write the cleared jar to the file even if the engine's store failed.
            await flush()
            throw error
        }
        try await file?.flush()
    }

    /// Writes all pending changes to the files. The delegate receives a failure.
    public func flush() async {
        await native?.flush()
        await server?.record.flush()
        do {
            try await file?.flush()
        } catch {
            delegate.record(.fileNotWritten(error))
        }
    }

    /// Stops the synchronization and writes the file.
    public func shutDown() async {
        await reconciler?.stop()
        await removal.withLock { $0 }?.value
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
        /// A page opens before all stores have the same cookies.
        case pageNotSynchronized(any Error)
        /// A page receives a response before the engine's store has its cookies.
        case responseNotSynchronized
        /// The engine's store responds again after it did not respond to a page in time.
        case engineStoreAnswers
        /// The engine's store did not respond for a minute.
        case engineStoreSilent(any Error)

        /// A Boolean value that indicates whether the event is a fault.
        public var isFault: Bool { if case .engineStoreAnswers = self { false } else { true } }

        /// The message for logs, in one line.
        public var message: String {
            switch self {
            case .storesDiffer: "cookies differ between stores"
            case .fileNotRead: "cookies cannot be read"
            case .fileDamaged: "cookies were lost"
            case .fileNotWritten: "cookies could not be saved"
            case .pageNotSynchronized: "a page opens before its cookies are synchronized"
            case .responseNotSynchronized: "a response is delivered before the engine has its cookies"
            case .engineStoreAnswers: "the engine's cookie store responds again"
            case .engineStoreSilent: "the engine's cookie store does not respond"
            }
        }

        /// The details for logs by name. They never contain the value of a cookie.
        public var details: [String: String] {
            switch self {
            case .storesDiffer(let fault):
                [
                    "reason": "\(fault.kind)", "store": "\(fault.store)",
                    "cookie": fault.identity.map { "\($0.name) of \($0.domain)" } ?? "",
                ]
            case .fileDamaged(let damage): ["reason": "\(damage.reason)", "file": damage.path]
            case .fileNotRead(let error), .fileNotWritten(let error), .pageNotSynchronized(let error),
                .engineStoreSilent(let error):
                ["error": "\(error)"]
            case .responseNotSynchronized, .engineStoreAnswers: [:]
            }
        }
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
