// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Compares the check for changes of the app's cookie storage, which precedes requests of pages, with reading the
/// cookies of the storage once.
struct CookieBenchmark {
    /// The number of cookies: those of ten sites.
    private static let cookies = 200
    private static let checks = 500
    let rounds: Int

    @MainActor
    func run() throws -> [Comparison] {
        guard let storage = URLSessionConfiguration.ephemeral.httpCookieStorage else { throw Failure() }
        for number in 0..<Self.cookies {
            let properties: [HTTPCookiePropertyKey: Any] = [
                .name: "cookie-\(number)", .value: String(repeating: "v", count: 40),
                .domain: "site-\(number % 10).example", .path: "/", .expires: Date(timeIntervalSinceNow: 86_400),
            ]
            guard let cookie = HTTPCookie(properties: properties) else { throw Failure() }
            storage.setCookie(cookie)
        }
        var options = CookieOptions()
        options.native = .storage(storage)
        // Without persistence there is no file, and without a start nothing else reads the storage.
        options.isPersistent = false
        let synchronizer = CookieSynchronizer(
            options, directory: FileManager.default.temporaryDirectory.path, hasJar: false,
            engine: SilentEngine().cookies, delegate: NoDelegate())
        var ours: [Double] = []
        var theirs: [Double] = []
        for _ in 0..<max(rounds, 3) {
            ours.append(Stopwatch.seconds { for _ in 0..<Self.checks { synchronizer.checkNative() } })
            theirs.append(
                try Stopwatch.seconds {
                    for _ in 0..<Self.checks where storage.cookies?.count != Self.cookies { throw Failure() }
                })
        }
        let scale = 1_000_000 / Double(Self.checks)
        return [
            Comparison(
                name: "check of \(Self.cookies) cookies of the app", reference: "HTTPCookieStorage.cookies",
                ours: Stopwatch.median(ours) * scale, theirs: Stopwatch.median(theirs) * scale, unit: "µs", bar: nil)
        ]
    }
}

private struct NoDelegate: CookieSynchronizerDelegate {
    func record(_ event: CookieSynchronizer.Event) {}
    func engineStoreChanged(isBehind: Bool) {}
}
