// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    internal import CWebKitGTK
    internal import ContainerKit

    /// The engine's cookies. They can be used after the engine is gone.
    @MainActor
    final class WebKitGTKCookieStore: EngineCookieStore {
        private let manager: UnsafeMutablePointer<WebKitCookieManager>
        /// The manager points to it without keeping it.
        private let dataManager: UnsafeMutablePointer<WebKitWebsiteDataManager>

        init(of dataManager: UnsafeMutablePointer<WebKitWebsiteDataManager>) {
            self.dataManager = dataManager
            manager = webkit_website_data_manager_get_cookie_manager(dataManager)
            g_object_ref(dataManager)
            g_object_ref(manager)
        }

        isolated deinit {
            g_object_unref(manager)
            g_object_unref(dataManager)
        }

        /// Keeps cookies that have an expiry in a SQLite file from now on.
        func persist(in file: String) {
            webkit_cookie_manager_set_persistent_storage(manager, file, WEBKIT_COOKIE_PERSISTENT_STORAGE_SQLITE)
        }

        func all() async throws -> [EngineCookie] {
            try await GLibAsync.call { callback, data in
                webkit_cookie_manager_get_all_cookies(manager, nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                let list = webkit_cookie_manager_get_all_cookies_finish(manager, result, &error)
                if let error { throw EngineError(.cookie, message(of: error)) }
                defer { g_list_free_full(list) { soup_cookie_free(OpaquePointer($0)) } }
                return sequence(first: list) { $0?.pointee.next }
                    .prefix { $0 != nil }
                    .compactMap { $0?.pointee.data.map { EngineCookie(OpaquePointer($0)) } }
            }
        }

        /// Returns once the network process has taken in all that was sent to it before, as a message that it answers goes
        /// behind: the cookies of a host that has none.
        func askNetworkProcess() async throws {
            try await GLibAsync.call { callback, data in
                webkit_cookie_manager_get_cookies(manager, "https://barrier.invalid/", nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                let list = webkit_cookie_manager_get_cookies_finish(manager, result, &error)
                if let error { throw EngineError(.cookie, message(of: error)) }
                g_list_free_full(list) { soup_cookie_free(OpaquePointer($0)) }
            }
        }

        func set(_ cookie: EngineCookie) async throws {
            guard cookie.isSendable else {
                throw EngineError(.cookie, "not a cookie that can be sent", at: cookie.name)
            }
            let soup = cookie.makeSoupCookie()
            defer { soup_cookie_free(soup) }
            try await GLibAsync.call { callback, data in
                webkit_cookie_manager_add_cookie(manager, soup, nil, callback, data)
            } finish: { [manager] result in
                var error: UnsafeMutablePointer<GError>?
                guard webkit_cookie_manager_add_cookie_finish(manager, result, &error) != 0 else {
                    throw EngineError(.cookie, message(of: error), at: cookie.name)
                }
            }
        }

        func remove(name: String, domain: String, path: String) async throws {
            // The engine deletes only where the value matches too, and reports success where it does not.
            let matches = try await all().filter { $0.name == name && $0.domain == domain && $0.path == path }
            for cookie in matches {
                let soup = cookie.makeSoupCookie()
                defer { soup_cookie_free(soup) }
                try await GLibAsync.call { callback, data in
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
        /// Whether the parts keep to their places in a header field (RFC 6265, section 4.1.1): the engine does not check.
        fileprivate var isSendable: Bool {
            !domain.isEmpty && path.hasPrefix("/")
                && [name, value, domain, path].allSatisfy {
                    $0.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ";") }
                } && !name.utf8.contains(UInt8(ascii: "="))
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

        /// The caller frees it.
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
