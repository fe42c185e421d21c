// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieBridge
internal import CookieJar
internal import Logging
internal import PublicSuffixList

/// The jar behind the facade, its file, and what keeps the engine's store the same.
///
/// Isolation: any; the jar has a lock of its own.
final class CookieCare: Sendable {
    let jar: CookieJar
    let pages: PageCookies
    private let file: CookieFile?
    private let reconciler: CookieReconciler?
    private let logger: Logger

    /// - Parameter engine: the store of the engine, where pages that the container opens may use it, too.
    @MainActor
    init<Engine: WebEngine>(
        _ configuration: Container<Engine>.Configuration, besides engine: (any EngineCookieStore)?
    ) {
        logger = configuration.logger
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
                [.engine: EngineCookies(engine), .jar: JarCookieStore(jar: jar)], configuration: options)
        }
    }

    private static func openJar(
        _ cookieOptions: CookieOptions, in directory: String, logger: Logger
    ) -> (CookieJar, CookieFile?) {
        guard cookieOptions.isPersistent else {
            return (CookieJar(publicSuffixes: Suffixes(), limits: cookieOptions.limits), nil)
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
        let jar = CookieJar(publicSuffixes: Suffixes(), limits: cookieOptions.limits, cookies: cookies)
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

    /// Returns when both stores have what was changed before in either, or when that takes too long.
    func settle() async {
        guard let reconciler else { return }
        do {
            try await reconciler.barrier(reading: [.jar, .engine])
        } catch {
            logger.warning("a page opens before all its cookies are there", metadata: ["error": "\(error)"])
        }
    }

    /// Returns when the engine has the cookies of an answer, or when that takes too long.
    func handOver() async {
        guard let reconciler, await !reconciler.handOver(from: .jar) else { return }
        logger.warning("an answer comes before its cookies are in the engine")
    }

    /// Clears both stores.
    /// - Throws: `CookieBridgeError`, `CookieFileError`; the jar is empty all the same.
    func clear(_ scope: CookieScope) async throws {
        pages.intake.clear(scope)
        switch scope {
        case .all: try await reconciler?.clearAll()
        case .domains(let domains): try await reconciler?.clear(domains: domains)
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

/// Where sites begin, for the jar.
struct Suffixes: PublicSuffixing {
    func registrableDomain(of host: String) -> String? {
        PublicSuffixList().registrableDomain(of: host)
    }
}
