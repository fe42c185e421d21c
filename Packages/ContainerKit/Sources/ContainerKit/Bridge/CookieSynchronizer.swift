// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import CookieBridge
internal import CookieJar
internal import Logging
internal import PublicSuffixList
internal import ResourceLoading
internal import WebEngine

/// The jar behind the facade, its file, and what keeps the engine's store the same.
///
/// Isolation: any; the jar has a lock of its own.
final class CookieSynchronizer: Sendable {
    let jar: CookieStore
    let pages: PageCookies
    private let file: CookieFile?
    private let reconciler: CookieReconciler?
    /// Whether it keeps the engine's store the same, too.
    var coversEngine: Bool { reconciler != nil }
    private let logger: Logger
    private let send: @MainActor @Sendable (ContainerEvent) -> Void
    /// Whether a page has waited for the engine's store in vain, which has not answered since.
    private let isBehind = Mutex(false)

    /// How long pages pass over a store that does not answer, at most: then one waits for it again. Longer than the
    /// reconciler asks in vain.
    private static let patience = Duration.seconds(60)

    /// - Parameters:
    ///   - engine: the store of the engine, where pages that the container opens may use it, too.
    ///   - clock: times waits and limits.
    ///   - send: receives `ContainerEvent.cookiesBehind`.
    @MainActor
    init<Engine: WebEngineDriver>(
        _ configuration: Container<Engine>.Configuration, besides engine: (any EngineCookieStore)?,
        clock: any Clock<Duration> = ContinuousClock(),
        send: @escaping @MainActor @Sendable (ContainerEvent) -> Void = { _ in }
    ) {
        logger = configuration.logger
        self.send = send
        (jar, file) = Self.openJar(configuration.cookies, in: configuration.directory, logger: configuration.logger)
        pages = PageCookies(jar: jar, acceptsThirdParties: configuration.cookies.acceptsThirdParties)
        reconciler = engine.map { [jar, logger] engine in
            var options = CookieReconciler.Configuration()
            options.barrierLimit = configuration.cookies.openLimit
            options.handOverLimit = configuration.cookies.handOverLimit
            options.report = { fault in
                logger.warning(
                    "cookies differ between stores",
                    metadata: [
                        "reason": "\(fault.kind)", "store": "\(fault.store)",
                        "cookie": "\(fault.identity.map { "\($0.name) of \($0.domain)" } ?? "")",
                    ])
            }
            return CookieReconciler(
                [.engine: EngineCookies(engine, clock: clock), .jar: JarCookieStore(jar: jar)],
                configuration: options, clock: clock)
        }
    }

    private static func openJar(
        _ cookieOptions: CookieOptions, in directory: String, logger: Logger
    ) -> (CookieStore, CookieFile?) {
        guard cookieOptions.isPersistent else {
            return (CookieStore(publicSuffixes: SuffixList(), limits: cookieOptions.limits), nil)
        }
        var options = CookieFile.Options()
        options.onFailure = { logger.warning("cookies are not kept", metadata: ["error": "\($0)"]) }
        let file = CookieFile(path: directory + "/cookies.json", options: options)
        var cookies: [Cookie] = []
        do {
            let contents = try file.load()
            cookies = contents.cookies
            if let damage = contents.damage {
                logger.warning("cookies were lost", metadata: ["reason": "\(damage.reason)", "file": "\(damage.path)"])
            }
        } catch {
            // Pages go on without what it held.
            logger.warning("cookies cannot be read", metadata: ["error": "\(error)"])
        }
        let jar = CookieStore(publicSuffixes: SuffixList(), limits: cookieOptions.limits, cookies: cookies)
        file.follow(jar)
        return (jar, file)
    }

    /// Begins to keep the stores the same.
    func start() async throws {
        try await reconciler?.start()
    }

    /// What was done to keep the stores the same; `nil` where nothing is.
    var counters: CookieReconciler.Counters? {
        get async { await reconciler?.counters }
    }

    /// Returns when both stores have what was changed before in either, or when that takes too long. Then the next pages do
    /// not wait at all, until a store that did not answer does so again, or for ``patience``.
    func waitUntilSynchronized() async {
        guard let reconciler, !isBehind.withLock({ $0 }) else { return }
        do {
            try await reconciler.barrier(reading: [.jar, .engine])
        } catch {
            logger.warning("a page opens before all its cookies are there", metadata: ["error": "\(error)"])
            if (error as? CookieBridgeError)?.code == .timedOut { await fallBehind(reconciler) }
        }
    }

    /// Has pages open without waiting, while something else waits in their place.
    @MainActor
    private func fallBehind(_ reconciler: CookieReconciler) {
        // Of pages that open at the same time, the first.
        let isFirst = isBehind.withLock { isBehind in
            defer { isBehind = true }
            return !isBehind
        }
        guard isFirst else { return }
        send(.cookiesBehind(true))
        Task { [weak self, logger] in
            do {
                try await reconciler.barrier(within: Self.patience)
                logger.notice("the engine's cookie store answers again")
            } catch let error as CookieBridgeError where error.code == .stopped {
                return
            } catch {
                logger.warning("the engine's cookie store does not answer", metadata: ["error": "\(error)"])
            }
            self?.isBehind.withLock { $0 = false }
            self?.send(.cookiesBehind(false))
        }
    }

    /// Loads something, and returns it when the engine has the cookies that came with it, or when that takes too long.
    @MainActor
    func handingOver(_ load: @MainActor () async throws -> ResourceResponse) async throws -> ResourceResponse {
        guard let reconciler else { return try await load() }
        let receipt = pages.intake.beginReceipt()
        defer { pages.intake.end(receipt) }
        let response = try await load()
        if let identities = receipt.identities, identities.isEmpty { return response }
        if await !reconciler.handOver(from: .jar, of: receipt.identities) {
            logger.warning("an answer comes before its cookies are in the engine")
        }
        return response
    }

    /// Clears both stores.
    /// - Throws: `CookieBridgeError`, `CookieFileError`; the jar is empty all the same.
    func clear(_ scope: CookieScope) async throws {
        pages.intake.clear(scope)
        do {
            switch scope {
            case .all: try await reconciler?.clearAll()
            case .domains(let domains): try await reconciler?.clear(domains: domains)
            }
        } catch {
            // What is cleared here is to be on disk all the same.
            await flushQuietly()
            throw error
        }
        try await flush()
    }

    /// Returns when all changes lie in the file.
    /// - Throws: `CookieFileError`.
    func flush() async throws {
        try await file?.flush()
    }

    /// As ``flush()``, where nobody could do anything about a failure.
    func flushQuietly() async {
        do {
            try await flush()
        } catch {
            logger.warning("cookies are not kept", metadata: ["error": "\(error)"])
        }
    }

    /// Ends what goes on by itself, and writes down what there is.
    func shutDown() async {
        await reconciler?.stop()
        await flushQuietly()
    }
}
