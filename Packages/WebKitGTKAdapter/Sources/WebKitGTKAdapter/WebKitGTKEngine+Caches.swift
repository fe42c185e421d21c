// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import CWebKitGTK
    internal import Foundation

    extension WebKitGTKEngine {
        /// The time limit of one call to the network process.
        private static let limit = Duration.seconds(20)
        /// The delay of the engine's cache writes. Measured: the engine writes entries to disk one second late, and
        /// removes by origin only entries that are on disk.
        private static let writeLag = Duration.milliseconds(1_500)

        /// Clears the engine's HTTP cache, in memory and on disk, for all sites.
        /// - Throws: `EngineError` with code `storage`, or `timedOut` after 20 seconds.
        public func clearHTTPCache() async throws {
            try await withLimit(Self.limit, "the network process did not clear its cache") { [dataManager] in
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

        /// Removes files from the engine's caches.
        ///
        /// A script searches the service workers and `caches` of each origin, in an empty document in a separate view.
        /// The engine's own call would remove the data of all hosts of a registrable domain, including unrelated
        /// entries, and it cannot remove workers from memory. Measured: about 150 ms if there is something to search, 5
        /// ms otherwise.
        ///
        /// The HTTP cache is cleared for all hosts of the registrable domains, at 0.3 ms for each response on disk. The
        /// partitioned `caches` of cross-site frames are not searched.
        /// - Throws: `EngineError` with code `storage`, `script`, `processEnded` or `noDisplay`, or `timedOut` if the
        ///   engine does not respond within 20 seconds.
        public func removeFiles(
            under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
        ) async throws {
            let isInMemory = configuration.storage == .ephemeral
            guard !isInMemory || hasViews else { return }
            // With storage in memory, the engine does not list workers.
            let previousRecords = isInMemory ? nil : try await records(of: .scripted)
            let places = origins.filter { origin in previousRecords?.contains { $0.concerns(origin) } ?? true }
            var failure: (any Error)?
            do {
                if !places.isEmpty { try await removeScriptedState(urls, at: places) }
            } catch {
                // An error of the scripted part does not prevent the clearing of the HTTP cache.
                failure = error
            }
            if let lastGiven { try await ContinuousClock().sleep(until: lastGiven + Self.writeLag) }
            let cached = try await records(of: .httpCache)
            try await remove(cached.filter { record in urls.contains { record.concerns($0) } })
            if let failure { throw failure }
        }

        /// Unregisters service workers and deletes entries of `caches`.
        private func removeScriptedState(_ urls: [String], at origins: [String]) async throws {
            let view = try makeView()
            defer { view.discard() }
            let list = String(decoding: try JSONEncoder().encode(urls), as: UTF8.self)
            for origin in origins {
                let load = ViewLoad(of: view)
                view.loadBlank(at: origin)
                try await load.finished(within: Self.limit)
                try await withLimit(Self.limit, "the engine did not list its stored data") {
                    _ = try await view.evaluate("const urls = \(list);\n" + Self.removalScript, in: .page)
                }
            }
        }

        /// A script that unregisters workers before it deletes entries, so that no worker stores them again. Insecure
        /// contexts have neither workers nor `caches`.
        private static let removalScript = """
            const upper = url => url.replace(/%[0-9a-f]{2}/gi, digits => digits.toUpperCase());
            const isOld = url => urls.some(base => upper(url).startsWith(base));
            for (const registration of await navigator.serviceWorker?.getRegistrations() ?? []) {
                const workers = [registration.installing, registration.waiting, registration.active];
                const places =
                    [registration.scope, ...workers.filter(worker => worker).map(worker => worker.scriptURL)];
                if (places.some(isOld)) await registration.unregister();
            }
            for (const name of await globalThis.caches?.keys() ?? []) {
                const cache = await caches.open(name);
                for (const request of await cache.keys())
                    if (isOld(request.url)) await cache.delete(request, { ignoreMethod: true, ignoreVary: true });
            }
            """

        /// Returns the engine's stored data of the given types, by registrable domain.
        private func records(of types: WebKitWebsiteDataTypes) async throws -> [DataRecord] {
            try await withLimit(Self.limit, "the engine did not list its stored data") { [dataManager] in
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

        /// Removes records from the HTTP cache.
        private func remove(_ records: [DataRecord]) async throws {
            guard !records.isEmpty else { return }
            try await withLimit(Self.limit, "the network process did not clear its cache") { [dataManager] in
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

        /// The engine's stored data of one registrable domain.
        @MainActor
        private final class DataRecord {
            let data: OpaquePointer
            /// The registrable domain, or the host if it has none.
            private let name: String

            /// Creates a record that takes ownership of a reference.
            init(taking data: OpaquePointer) {
                self.data = data
                name = webkit_website_data_get_name(data).map { String(cString: $0) } ?? ""
            }

            isolated deinit {
                webkit_website_data_unref(data)
            }

            /// Returns a Boolean value that indicates whether the record may contain data of a URL's origin.
            func concerns(_ url: String) -> Bool {
                guard let host = URL(string: url)?.host() else { return false }
                return host == name || host.hasSuffix(".\(name)")
            }
        }
    }

    extension WebKitWebsiteDataTypes {
        fileprivate static let httpCache = WebKitWebsiteDataTypes(
            WEBKIT_WEBSITE_DATA_DISK_CACHE.rawValue | WEBKIT_WEBSITE_DATA_MEMORY_CACHE.rawValue)
        /// The data that scripts store.
        fileprivate static let scripted = WebKitWebsiteDataTypes(
            WEBKIT_WEBSITE_DATA_DOM_CACHE.rawValue | WEBKIT_WEBSITE_DATA_SERVICE_WORKER_REGISTRATIONS.rawValue)
    }
#endif
