// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    extension WebKitGTKEngine {
        /// How long the network process may take for one thing.
        private static let limit = Duration.seconds(20)
        /// Measured: the engine writes what it keeps to disk a second late, and removes by origin only what is on disk.
        private static let writeLag = Duration.milliseconds(1_500)

        /// Clears the engine's HTTP cache, in memory and on disk, of all sites.
        /// - Throws: `EngineError` with code `storage`, or `timedOut` after 20 seconds.
        public func clearHTTPCache() async throws {
            try await withLimit(Self.limit, "the network process does not clear its cache") { [dataManager] in
                try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                    webkit_website_data_manager_clear(dataManager, .httpCache, 0, nil, callback, data)
                } finish: { result in
                    var error: UnsafeMutablePointer<GError>?
                    guard webkit_website_data_manager_clear_finish(dataManager, result, &error) != 0 else {
                        throw EngineError(.storage, message(of: error))
                    }
                }
            }
        }

        /// Has the engine forget files.
        ///
        /// Service workers and `caches` are looked through by a script in an empty document of each origin, in a view of
        /// its own: the engine could remove them itself only for all hosts of a registrable domain at once, with what
        /// scripts have put there for other reasons, and in memory it cannot remove workers at all. Measured: some 150 ms
        /// where there is something to look at, 5 ms where there is not.
        ///
        /// The HTTP cache goes for all hosts of the registrable domains; 0.3 ms for each answer on disk. In `caches` of
        /// frames in pages of other sites, which the engine keeps apart, nothing is looked for.
        /// - Throws: `EngineError` with code `storage`, `script`, `processEnded` or `noDisplay`, or `timedOut` where the
        ///   engine says nothing for 20 seconds.
        public func forgetFiles(
            under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
        ) async throws {
            let isInMemory = configuration.storage == .ephemeral
            guard !isInMemory || hasViews else { return }
            // In memory the engine does not list workers.
            let kept = isInMemory ? nil : try await records(of: .scripted)
            let places = origins.filter { origin in kept?.contains { $0.concerns(origin) } ?? true }
            var failure: (any Error)?
            do {
                if !places.isEmpty { try await forgetScripted(urls, at: places) }
            } catch {
                // The HTTP cache is cleared all the same.
                failure = error
            }
            if let lastGiven { try await ContinuousClock().sleep(until: lastGiven + Self.writeLag) }
            let cached = try await records(of: .httpCache)
            try await remove(cached.filter { record in urls.contains { record.concerns($0) } })
            if let failure { throw failure }
        }

        /// Ends service workers, and removes what scripts have put into `caches`.
        private func forgetScripted(_ urls: [String], at origins: [String]) async throws {
            let view = try makeView()
            defer { view.discard() }
            let list = String(decoding: try JSONEncoder().encode(urls), as: UTF8.self)
            for origin in origins {
                let load = ViewLoad(of: view)
                view.loadBlank(at: origin)
                try await load.finished(within: Self.limit)
                try await withLimit(Self.limit, "the engine does not say what it holds") {
                    _ = try await view.evaluate("const urls = \(list);\n" + Self.forgetting, in: .page)
                }
            }
        }

        /// Workers first, so that they put nothing back. Pages that are not secure have neither.
        private static let forgetting = """
            const upper = url => url.replace(/%[0-9a-f]{2}/gi, digits => digits.toUpperCase());
            const isOld = url => urls.some(base => upper(url).startsWith(base));
            for (const registration of await navigator.serviceWorker?.getRegistrations() ?? []) {
                const workers = [registration.installing, registration.waiting, registration.active];
                const places = [registration.scope, ...workers.filter(worker => worker).map(worker => worker.scriptURL)];
                if (places.some(isOld)) await registration.unregister();
            }
            for (const name of await globalThis.caches?.keys() ?? []) {
                const cache = await caches.open(name);
                for (const request of await cache.keys())
                    if (isOld(request.url)) await cache.delete(request, { ignoreMethod: true, ignoreVary: true });
            }
            """

        /// What the engine holds, by registrable domain.
        private func records(of types: WebKitWebsiteDataTypes) async throws -> [DataRecord] {
            try await withLimit(Self.limit, "the engine does not say what it holds") { [dataManager] in
                try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                    webkit_website_data_manager_fetch(dataManager, types, nil, callback, data)
                } finish: { result in
                    var error: UnsafeMutablePointer<GError>?
                    let list = webkit_website_data_manager_fetch_finish(dataManager, result, &error)
                    if let error { throw EngineError(.storage, message(of: error)) }
                    defer { g_list_free(list) }
                    return sequence(first: list) { $0?.pointee.next }
                        .prefix { $0 != nil }
                        .compactMap { $0?.pointee.data.map { DataRecord(taking: OpaquePointer($0)) } }
                }
            }
        }

        /// Removes what the HTTP cache holds of them.
        private func remove(_ records: [DataRecord]) async throws {
            guard !records.isEmpty else { return }
            try await withLimit(Self.limit, "the network process does not clear its cache") { [dataManager] in
                var list: UnsafeMutablePointer<GList>?
                for record in records { list = g_list_prepend(list, UnsafeMutableRawPointer(record.data)) }
                defer { g_list_free(list) }
                try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                    webkit_website_data_manager_remove(dataManager, .httpCache, list, nil, callback, data)
                } finish: { result in
                    var error: UnsafeMutablePointer<GError>?
                    guard webkit_website_data_manager_remove_finish(dataManager, result, &error) != 0 else {
                        throw EngineError(.storage, message(of: error))
                    }
                }
            }
        }

        /// What the engine holds of one registrable domain.
        @MainActor
        private final class DataRecord {
            let data: OpaquePointer
            /// The registrable domain, or the host where it has none.
            private let name: String

            /// Takes a reference over.
            init(taking data: OpaquePointer) {
                self.data = data
                name = webkit_website_data_get_name(data).map { String(cString: $0) } ?? ""
            }

            isolated deinit {
                webkit_website_data_unref(data)
            }

            /// Whether something of a URL's origin may be in it.
            func concerns(_ url: String) -> Bool {
                guard let host = URL(string: url)?.host() else { return false }
                return host == name || host.hasSuffix(".\(name)")
            }
        }
    }

    extension WebKitWebsiteDataTypes {
        fileprivate static let httpCache = WebKitWebsiteDataTypes(
            WEBKIT_WEBSITE_DATA_DISK_CACHE.rawValue | WEBKIT_WEBSITE_DATA_MEMORY_CACHE.rawValue)
        /// What scripts make.
        fileprivate static let scripted = WebKitWebsiteDataTypes(
            WEBKIT_WEBSITE_DATA_DOM_CACHE.rawValue | WEBKIT_WEBSITE_DATA_SERVICE_WORKER_REGISTRATIONS.rawValue)
    }
#endif
