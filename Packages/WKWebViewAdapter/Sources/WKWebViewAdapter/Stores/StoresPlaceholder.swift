// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    // Stand-ins without an effect, until the stores of the engine have their own files.

    /// The networking of an engine that has no proxy and trusts no certificates.
    final class WKWebViewNetworking: EngineNetworking {
        private(set) var proxy: EngineProxy?

        init(_ store: WKWebsiteDataStore) {}

        func setProxy(_ proxy: EngineProxy?) { self.proxy = proxy }

        func trust(_ certificate: EngineCertificate, for host: String) async throws {
            throw EngineError(.tls, "this adapter trusts no certificates yet", at: host)
        }

        /// Answers a challenge of a view.
        func answer(_ challenge: URLAuthenticationChallenge, _ reply: @escaping ChallengeReply) {
            reply(.performDefaultHandling, nil)
        }
    }

    /// The caches of an engine, without an effect.
    final class WKWebViewCaching: EngineCaching {
        init(_ store: WKWebsiteDataStore) {}

        func clearHTTPCache() async throws {}

        func removeFiles(
            under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
        ) async throws {}
    }

    /// A cookie store without cookies.
    final class WKWebViewCookieStore: EngineCookieStore {
        let losses = 0

        init(_ store: WKHTTPCookieStore) {}

        func all() async throws -> [EngineCookie] { [] }

        func set(_ cookie: EngineCookie) async throws {
            throw EngineError(.cookie, "this adapter stores no cookies yet", at: cookie.name)
        }

        func remove(name: String, domain: String, path: String) async throws {}

        func changes() -> AsyncStream<Void> { AsyncStream { $0.finish() } }
    }
#endif
