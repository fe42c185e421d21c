// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CookieJar
internal import Logging
internal import PublicSuffixList

/// The jar behind the facade, and its file.
///
/// Isolation: any; the jar has a lock of its own.
final class CookieCare: Sendable {
    let jar: CookieJar
    private let file: CookieFile?

    init<Engine: WebEngine>(_ configuration: Container<Engine>.Configuration) {
        let logger = configuration.logger
        guard configuration.cookies.isPersistent else {
            file = nil
            jar = CookieJar(publicSuffixes: Suffixes(), limits: configuration.cookies.limits)
            return
        }
        var options = CookieFile.Options()
        options.onFailure = { logger.warning("cookies are not kept", metadata: ["error": "\($0)"]) }
        let file = CookieFile(path: configuration.directory + "/cookies.json", options: options)
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
        jar = CookieJar(publicSuffixes: Suffixes(), limits: configuration.cookies.limits, cookies: cookies)
        file.follow(jar)
        self.file = file
    }

    /// Returns when all changes lie in the file.
    /// - Throws: `CookieFileError`.
    func flush() async throws {
        try await file?.flush()
    }
}

/// Where sites begin, for the jar.
struct Suffixes: PublicSuffixing {
    func registrableDomain(of host: String) -> String? {
        PublicSuffixList().registrableDomain(of: host)
    }
}
