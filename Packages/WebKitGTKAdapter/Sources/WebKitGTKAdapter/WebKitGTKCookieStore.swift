// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

#if os(Linux)
    internal import AsyncSupport
    internal import CWebKitGTK
    internal import Glibc
    internal import WebSyntax

    /// The cookie store of the engine. It remains usable after the engine is released.
    @MainActor
    final class WebKitGTKCookieStore: EngineCookieStore {
        private let manager: UnsafeMutablePointer<WebKitCookieManager>
        /// The data manager. The cookie manager points to it without a reference.
        private let dataManager: UnsafeMutablePointer<WebKitWebsiteDataManager>
        private var changed: gulong = 0
        private let signals = Broadcast<Void>(capacity: 1)
        /// A Boolean value that indicates whether the store had the marker cookie at the end of the last ``all()``.
        private var isMarked = false
        private(set) var losses = 0
        private(set) var isEphemeral = true

        /// A marker session cookie for a host that cannot exist (RFC 6761, section 6.4).
        ///
        /// The engine does not report the end of its network process. A new network process starts without this cookie,
        /// so that its absence reveals the loss.
        private static let mark = EngineCookie(
            name: "containerkit-mark", value: "1", domain: "containerkit.invalid", isHTTPOnly: true)

        init(of dataManager: UnsafeMutablePointer<WebKitWebsiteDataManager>) {
            self.dataManager = dataManager
            manager = webkit_website_data_manager_get_cookie_manager(dataManager)
            g_object_ref(dataManager)
            g_object_ref(manager)
            let hasChanged: @convention(c) (gpointer?, gpointer?) -> Void = { _, data in
                let store = target(data, as: WebKitGTKCookieStore.self)
                MainActor.assumeIsolated { store?.signals.send(()) }
            }
            // The connection must not retain the manager, because the manager must not outlive the data manager.
            changed = GObjectSignals.connect(
                manager, "changed", unsafeBitCast(hasChanged, to: GCallback.self), to: self)
        }

        isolated deinit {
            g_signal_handler_disconnect(manager, changed)
            g_object_unref(manager)
            g_object_unref(dataManager)
        }

        /// Stores cookies with an expiry time in a SQLite file from now on.
        func persist(in file: String) {
            isEphemeral = false
            webkit_cookie_manager_set_persistent_storage(manager, file, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE)
        }

        func changes() -> AsyncStream<Void> {
            signals.subscribe()
        }

        func all() async throws -> [EngineCookie] {
            let cookies = try await list()
            if let own = Self.withoutMark(cookies) {
                isMarked = true
                return own
            }
            // The marker is absent after the end of the process, also if the process ends during the call.
            if isMarked { losses += 1 }
            isMarked = false
            do {
                try await set(Self.mark)
            } catch let error as EngineError where error.code == .cookie {
                // An engine that stores no cookies does not store the marker either.
                return cookies
            }
            let marked = try await list()
            let own = Self.withoutMark(marked)
            isMarked = own != nil
            return own ?? marked
        }

        /// Returns the cookies without the marker; `nil` if the marker is not among them.
        private static func withoutMark(_ cookies: [EngineCookie]) -> [EngineCookie]? {
            let own = cookies.filter { $0.name != mark.name || $0.domain != mark.domain }
            return own.count < cookies.count ? own : nil
        }

        private func list() async throws -> [EngineCookie] {
            try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                webkit_cookie_manager_get_all_cookies(manager, nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                let list = webkit_cookie_manager_get_all_cookies_finish(manager, result, &error)
                if let error { throw EngineError(.cookie, message(of: error)) }
                return Self.consume(list)
            }
        }

        /// Returns the cookies with this name, domain and path.
        ///
        /// If domain and path need no percent-encoding, only the cookies that are sent to their URL are searched.
        private func cookies(named name: String, domain: String, path: String) async throws -> [EngineCookie] {
            let host = domain.hasPrefix(".") ? String(domain.dropFirst()) : domain
            let isPlain = (host + path).utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "-")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
                default: false
                }
            }
            let candidates = isPlain ? try await cookies(sentTo: "https://\(host)\(path)") : try await list()
            return candidates.filter {
                $0.name.hasSameBytes(as: name) && $0.domain.hasSameBytes(as: domain)
                    && $0.path.hasSameBytes(as: path)
            }
        }

        private func cookies(sentTo url: String) async throws -> [EngineCookie] {
            try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                webkit_cookie_manager_get_cookies(manager, url, nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                let list = webkit_cookie_manager_get_cookies_finish(manager, result, &error)
                if let error { throw EngineError(.cookie, message(of: error)) }
                return Self.consume(list)
            }
        }

        private static func consume(_ list: UnsafeMutablePointer<GList>?) -> [EngineCookie] {
            defer { g_list_free_full(list) { soup_cookie_free(OpaquePointer($0)) } }
            return sequence(first: list) { $0?.pointee.next }
                .prefix { $0 != nil }
                .compactMap { $0?.pointee.data.map { EngineCookie(OpaquePointer($0)) } }
        }

        /// Returns when the network process has handled all earlier messages.
        ///
        /// The call requests the cookies of a host that has none. The reply follows the replies to earlier messages.
        func waitForNetworkProcess() async throws {
            _ = try await cookies(sentTo: "https://barrier.invalid/")
        }

        func set(_ cookie: EngineCookie) async throws {
            guard cookie.isSendable else {
                throw EngineError(.cookie, "the cookie cannot be sent in a header field", at: cookie.name)
            }
            // The engine drops some cookies without an error, and all of them if its network process has just ended.
            for _ in 0..<2 {
                try await add(cookie)
                if cookie.hasEnded { return }
                let storedCookies = try await cookies(named: cookie.name, domain: cookie.domain, path: cookie.path)
                if !storedCookies.isEmpty { return }
            }
            throw EngineError(.cookie, "the engine did not store the cookie", at: cookie.name)
        }

        private func add(_ cookie: EngineCookie) async throws {
            let soup = cookie.makeSoupCookie()
            defer { soup_cookie_free(soup) }
            try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                webkit_cookie_manager_add_cookie(manager, soup, nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                guard webkit_cookie_manager_add_cookie_finish(manager, result, &error) != 0 else {
                    throw EngineError(.cookie, message(of: error), at: cookie.name)
                }
            }
        }

        func remove(name: String, domain: String, path: String) async throws {
            // The engine deletes a cookie only if the value also matches, and reports success in any case.
            for cookie in try await cookies(named: name, domain: domain, path: path) {
                let soup = cookie.makeSoupCookie()
                defer { soup_cookie_free(soup) }
                try await GLibAsync.call(keeping: [dataManager]) { callback, data in
                    webkit_cookie_manager_delete_cookie(manager, soup, nil, callback, data)
                } finish: { [manager] result in
                    var error: UnsafeMutablePointer<GError>?
                    guard webkit_cookie_manager_delete_cookie_finish(manager, result, &error) != 0 else {
                        throw EngineError(.cookie, message(of: error), at: name)
                    }
                }
            }
        }
    }

    extension EngineCookie {
        /// A Boolean value that indicates whether all parts are valid in a header field (RFC 6265, section 4.1.1). The
        /// engine does not check this.
        fileprivate var isSendable: Bool {
            !domain.isEmpty && path.hasPrefix("/")
                && [name, value, domain, path].allSatisfy {
                    $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
                } && !name.utf8.contains(UInt8(ascii: "="))
        }

        /// A Boolean value that indicates whether the cookie has expired. Setting an expired cookie removes a stored
        /// cookie.
        fileprivate var hasEnded: Bool {
            expires.map { $0 <= Int64(time(nil)) } ?? false
        }

        fileprivate init(_ soup: OpaquePointer) {
            self.init(
                name: String(cString: soup_cookie_get_name(soup)), value: String(cString: soup_cookie_get_value(soup)),
                domain: String(cString: soup_cookie_get_domain(soup)),
                path: soup_cookie_get_path(soup).map { String(cString: $0) } ?? "/",
                expires: soup_cookie_get_expires(soup).map { Int64(g_date_time_to_unix($0)) },
                isSecure: soup_cookie_get_secure(soup) != 0, isHTTPOnly: soup_cookie_get_http_only(soup) != 0,
                sameSite: SameSite(soup_cookie_get_same_site_policy(soup)))
        }

        /// Creates a libsoup cookie, which the caller frees.
        fileprivate func makeSoupCookie() -> OpaquePointer? {
            let soup = soup_cookie_new(name, value, domain, path, -1)
            if let expires, let date = g_date_time_new_from_unix_utc(gint64(expires)) {
                soup_cookie_set_expires(soup, date)
                g_date_time_unref(date)
            }
            soup_cookie_set_secure(soup, isSecure ? 1 : 0)
            soup_cookie_set_http_only(soup, isHTTPOnly ? 1 : 0)
            soup_cookie_set_same_site_policy(soup, sameSite.policy)
            return soup
        }
    }

    extension EngineCookie.SameSite {
        fileprivate init(_ policy: SoupSameSitePolicy) {
            self =
                switch policy {
                case SOUP_SAME_SITE_POLICY_LAX: .lax
                case SOUP_SAME_SITE_POLICY_STRICT: .strict
                default: .none
                }
        }

        fileprivate var policy: SoupSameSitePolicy {
            switch self {
            case .none: SOUP_SAME_SITE_POLICY_NONE
            case .lax: SOUP_SAME_SITE_POLICY_LAX
            case .strict: SOUP_SAME_SITE_POLICY_STRICT
            }
        }
    }
#endif
