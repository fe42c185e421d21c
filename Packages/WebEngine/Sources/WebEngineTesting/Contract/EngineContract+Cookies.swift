// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import WebEngine

// The cookie store, the HTTP cache and the proxy.
extension EngineContract {
    private static func cookie(
        _ name: String = "a", _ value: String = "1", domain: String = "shop.example", path: String = "/"
    ) -> EngineCookie { EngineCookie(name: name, value: value, domain: domain, path: path) }

    /// Returns the cookies without their order, as texts.
    @MainActor
    private static func stored(_ run: ContractRun) async throws -> [String] {
        try await run.engine.cookies.all().map { "\($0.name)=\($0.value);\($0.domain)\($0.path)" }.sorted()
    }

    static let cookieChecks = [
        EngineContractCheck("cookieAttributes", of: "EngineCookieStore.set(_:)") { run in
            let expires = Int64(Date().timeIntervalSince1970) + 3_600
            let cookies = [
                EngineCookie(
                    name: "id", value: "7", domain: "shop.example", path: "/p", expires: expires, isSecure: true,
                    isHTTPOnly: true), EngineCookie(name: "session", value: "a b", domain: ".shop.example"),
            ]
            for cookie in cookies { try await run.engine.cookies.set(cookie) }
            try run.expect(Set(try await run.engine.cookies.all()), Set(cookies), "the cookies")
            try run.expect(run.engine.cookies.losses, 0, "losses")
        },
        EngineContractCheck("cookieSameSite", of: "EngineCookie.sameSite", needs: [.sameSite]) { run in
            for sameSite in [EngineCookie.SameSite.lax, .strict, .none] {
                var cookie = cookie()
                cookie.sameSite = sameSite
                try await run.engine.cookies.set(cookie)
                try run.expect(try await run.engine.cookies.all().map(\.sameSite), [sameSite], "SameSite")
            }
        },
        EngineContractCheck("replacedCookie", of: "EngineCookieStore.set(_:)") { run in
            let cookies = [
                cookie(), cookie("a", "2"), cookie("a", "3", path: "/p"), cookie("a", "4", domain: "other.example"),
            ]
            for cookie in cookies { try await run.engine.cookies.set(cookie) }
            try run.expect(
                try await stored(run), ["a=2;shop.example/", "a=3;shop.example/p", "a=4;other.example/"].sorted(),
                "the cookies")
        },
        EngineContractCheck("removedCookie", of: "EngineCookieStore.remove(name:domain:path:)") { run in
            let store = run.engine.cookies
            for cookie in [cookie(), cookie("a", "2", path: "/p"), cookie("b")] { try await store.set(cookie) }
            try await store.remove(name: "a", domain: "shop.example", path: "/")
            try await store.remove(name: "none", domain: "shop.example", path: "/")
            try run.expect(try await stored(run), ["a=2;shop.example/p", "b=1;shop.example/"], "the cookies")
            for cookie in try await store.all() {
                try await store.remove(name: cookie.name, domain: cookie.domain, path: cookie.path)
            }
            try run.expect(try await stored(run), [], "the cookies after the removal of all")
        },
        EngineContractCheck("refusedCookie", of: "EngineCookieStore.set(_:)") { run in
            for name in ["a;b", "a=b", "a\nb", "a\0"] {
                let cookie = cookie(name)
                do {
                    try await run.engine.cookies.set(cookie)
                } catch let error as EngineError where error.code == .cookie {
                    continue
                }
                let cookies = try await run.engine.cookies.all()
                try run.expect(cookies.contains(cookie), "the cookie '\(name)', or an error with code cookie")
            }
        },
        EngineContractCheck("cookieChanges", of: "EngineCookieStore.changes()") { run in
            let store = run.engine.cookies
            _ = try await store.all()
            var (first, second) = (store.changes().makeAsyncIterator(), store.changes().makeAsyncIterator())
            try await store.set(cookie())
            try await run.wait(for: "the signal of the first stream", of: &first)
            try await run.wait(for: "the signal of the second stream", of: &second)
            // Signals may arrive twice: a stream that began later has no earlier ones.
            var third = store.changes().makeAsyncIterator()
            try await store.remove(name: "a", domain: "shop.example", path: "/")
            try await run.wait(for: "the signal of a removal", of: &third)
        },
        EngineContractCheck(
            "cookieObservers", of: "EngineCookieStore.changes()", needs: [.cookieObservers]
        ) { run in
            let before = try run.site.cookieObservers(of: run.engine)
            try {
                let streams = [run.engine.cookies.changes(), run.engine.cookies.changes()]
                try withExtendedLifetime(streams) {
                    try run.expect(
                        try run.site.cookieObservers(of: run.engine) > before, "an observer of the open streams")
                }
            }()
            try await run.wait(for: "the removal of the observer") {
                try run.site.cookieObservers(of: run.engine) == before
            }
        },
        EngineContractCheck("clearedCache", of: "EngineCaching.clearHTTPCache()") { run in
            try await run.engine.cookies.set(cookie())
            try await run.engine.caching.clearHTTPCache()
            try run.expect(try await stored(run), ["a=1;shop.example/"], "the cookies")
        },
        EngineContractCheck("proxy", of: "EngineNetworking.proxy") { run in
            try run.expect(run.engine.networking.proxy, nil, "the initial proxy")
            let proxy = EngineProxy(.socks5, host: "127.0.0.1", port: 1, exceptions: ["a.example"])
            run.engine.networking.setProxy(proxy)
            try run.expect(run.engine.networking.proxy, proxy, "the proxy")
            run.engine.networking.setProxy(nil)
            try run.expect(run.engine.networking.proxy, nil, "the proxy that was removed")
        },
    ]
}

extension ContractRun {
    /// Waits for the next signal of a stream.
    fileprivate func wait(for what: String, of signals: inout AsyncStream<Void>.Iterator) async throws {
        awaited = what
        let isReceived = await signals.next(isolation: #isolation) != nil
        try Task.checkCancellation()
        awaited = nil
        try expect(isReceived, what, seen: "the end of the stream")
    }
}
