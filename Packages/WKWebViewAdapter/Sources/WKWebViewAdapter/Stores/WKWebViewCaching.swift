// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit
    internal import WebSyntax

    /// The HTTP cache, service workers and `caches` of a data store.
    ///
    /// The public API of WebKit removes data of all sites, or of a site with all its hosts. Where that is not precise,
    /// this class removes more.
    ///
    /// Isolation: the main actor.
    @MainActor
    final class WKWebViewCaching: EngineCaching {
        private let store: WKWebsiteDataStore
        private let clock: any Clock<Duration>

        private static let httpCache: Set<String> = [WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeMemoryCache]
        /// The data that scripts store.
        private static let scripted: Set<String> = [
            WKWebsiteDataTypeFetchCache, WKWebsiteDataTypeServiceWorkerRegistrations,
        ]
        /// The delay of the engine's cache writes. Believed: the same as measured for WebKitGTK. A device shows it by a
        /// removal directly after a load.
        private static let writeDelay = Duration.milliseconds(1_500)

        init(_ store: WKWebsiteDataStore, clock: any Clock<Duration> = ContinuousClock()) {
            self.store = store
            self.clock = clock
        }

        /// Clears the engine's HTTP cache, in memory and on disk, for all sites.
        /// - Throws: `EngineError` with code `timedOut` after 20 seconds.
        func clearHTTPCache() async throws {
            try await callNetworkProcess(by: clock, "the network process did not clear its cache") { [store] in
                await store.removeData(ofTypes: Self.httpCache, modifiedSince: .distantPast)
            }
        }

        /// Removes files from the engine's caches, and more than these files:
        ///
        /// - the HTTP cache of all sites, because WebKit lists its memory cache by the site of the page, and lists
        ///   nothing for some hosts;
        /// - all service workers and all `caches` of the sites of `origins`, which include all hosts of a registrable
        ///   domain, and of all sites if WebKit does not list the site of an origin.
        /// - Throws: `EngineError` with code `timedOut` if the engine does not respond within 20 seconds.
        func removeFiles(
            under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
        ) async throws {
            guard !urls.isEmpty else { return }
            var failure: (any Error)?
            do {
                if !origins.isEmpty { try await removeScriptedState(at: origins.map { DataSite(of: $0) }) }
            } catch {
                // An error of the scripted part does not prevent the clearing of the HTTP cache.
                failure = error
            }
            if let lastGiven {
                let remaining = ContinuousClock.now.duration(to: lastGiven + Self.writeDelay)
                if remaining > .zero { try await clock.sleep(for: remaining) }
            }
            try await clearHTTPCache()
            if let failure { throw failure }
        }

        private func removeScriptedState(at sites: [DataSite]) async throws {
            let what = "the engine did not remove its stored data"
            guard sites.allSatisfy(\.isListed) else {
                return try await callNetworkProcess(by: clock, what) { [store] in
                    await store.removeData(ofTypes: Self.scripted, modifiedSince: .distantPast)
                }
            }
            try await callNetworkProcess(by: clock, what) { [store] in
                let records = await store.dataRecords(ofTypes: Self.scripted)
                let concerned = records.filter { record in sites.contains { $0.isIncluded(in: record.displayName) } }
                guard !concerned.isEmpty else { return }
                await store.removeData(ofTypes: Self.scripted, for: concerned)
            }
        }
    }

    /// The site of an origin, which WebKit lists by a display name.
    ///
    /// Believed, from WebKit's sources: the name is the registrable domain, or the address or `localhost` itself. There
    /// is no name for hosts without a registrable domain and for custom schemes. A device shows it by the records of
    /// such hosts.
    struct DataSite: Sendable {
        private let host: String
        /// A Boolean value that indicates whether WebKit has a display name for the site.
        let isListed: Bool

        /// - Parameter origin: the root URL of the origin.
        init(of origin: String) {
            let url = URL(string: origin)
            host = Self.bare(url?.host() ?? "")
            let scheme = url?.scheme?.asciiLowercased ?? ""
            let isAddress = host.contains(":") || HostSyntax.isIPv4Address(host.utf8)
            isListed =
                ["http", "https"].contains(scheme) && !host.isEmpty
                && (isAddress || host == "localhost" || host.contains("."))
        }

        /// Returns a Boolean value that indicates whether the data of a display name may include that of the site. A
        /// name in Unicode may belong to each host with such a label.
        func isIncluded(in displayName: String) -> Bool {
            let name = Self.bare(displayName)
            guard name.utf8.allSatisfy({ $0 < 0x80 }) else { return host.contains("xn--") }
            return !name.isEmpty && (host == name || host.hasSuffix(".\(name)"))
        }

        /// Returns a host in lower case, without the brackets of an IPv6 address and without a trailing dot.
        private static func bare(_ host: String) -> String {
            var bare = Substring(host.asciiLowercased)
            if bare.hasPrefix("["), bare.hasSuffix("]") { bare = bare.dropFirst().dropLast() }
            if bare.hasSuffix(".") { bare = bare.dropLast() }
            return WebSyntax.IPv6Address(bare.utf8)?.description ?? String(bare)
        }
    }
#endif
