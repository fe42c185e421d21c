// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// webkit/wkhttpcookiestore [WKHTTPCookieStore]
@MainActor
public class WKHTTPCookieStore: NSObject {
    private struct Observer { weak var object: (any WKHTTPCookieStoreObserver)? }
    private var cookies: [HTTPCookie] = []
    private var observers: [Observer] = []
    private var notification: Task<Void, Never>?

    // webkit/wkhttpcookiestore/getallcookies(_:) [WKHTTPCookieStore getAllCookies:]
    public func getAllCookies(_ completionHandler: @escaping @MainActor @Sendable ([HTTPCookie]) -> Void) {
        Task { completionHandler(await allCookies()) }
    }
    // webkit/wkhttpcookiestore/getallcookies(_:), async [WKHTTPCookieStore getAllCookies:]
    public func allCookies() async -> [HTTPCookie] {
        await respond()
        return cookies.filter { !Self.hasExpired($0) }
    }
    // webkit/wkhttpcookiestore/setcookie(_:completionhandler:) [WKHTTPCookieStore setCookie:completionHandler:]
    public func setCookie(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        Task {
            await setCookie(cookie)
            completionHandler?()
        }
    }
    // webkit/wkhttpcookiestore/setcookie(_:completionhandler:), async [WKHTTPCookieStore setCookie:completionHandler:]
    public func setCookie(_ cookie: HTTPCookie) async {
        await respond()
        receive(cookie)
    }
    // webkit/wkhttpcookiestore/delete(_:completionhandler:) [WKHTTPCookieStore deleteCookie:completionHandler:]
    public func delete(_ cookie: HTTPCookie, completionHandler: (@MainActor @Sendable () -> Void)? = nil) {
        Task {
            await deleteCookie(cookie)
            completionHandler?()
        }
    }
    // webkit/wkhttpcookiestore/delete(_:completionhandler:), async [WKHTTPCookieStore deleteCookie:completionHandler:]
    //
    // Believed: name, domain and path select the cookie, not its value. A device shows it by another value.
    public func deleteCookie(_ cookie: HTTPCookie) async {
        await respond()
        let count = cookies.count
        cookies.removeAll { Self.isSame($0, cookie) }
        if cookies.count != count { notify() }
    }
    // webkit/wkhttpcookiestore/add(_:) [WKHTTPCookieStore addObserver:]
    //
    // The store does not retain its observers.
    public func add(_ observer: any WKHTTPCookieStoreObserver) { observers.append(Observer(object: observer)) }
    // webkit/wkhttpcookiestore/remove(_:) [WKHTTPCookieStore removeObserver:]
    public func remove(_ observer: any WKHTTPCookieStoreObserver) {
        observers.removeAll { $0.object == nil || $0.object === observer }
    }

    /// A closure that runs before the network process responds to a call. A test holds the response with it.
    @_spi(Driver) public var beforeResponse: (@MainActor () async -> Void)?
    /// The number of observers that were added and not removed.
    @_spi(Driver) public var observerCount: Int { observers.count }

    private func respond() async {
        await Task.yield()
        await beforeResponse?()
    }

    private static func isSame(_ one: HTTPCookie, _ other: HTTPCookie) -> Bool {
        one.name == other.name && one.domain == other.domain && one.path == other.path
    }

    private static func hasExpired(_ cookie: HTTPCookie) -> Bool { cookie.expiresDate.map { $0 <= Date() } ?? false }

    /// Calls the observers later, once for all changes until then.
    private func notify() {
        guard notification == nil else { return }
        notification = Task {
            notification = nil
            for observer in observers { observer.object?.cookiesDidChange(in: self) }
        }
    }

    /// Stores a cookie of the app, of a page or of a response.
    @_spi(Driver) public func receive(_ cookie: HTTPCookie) {
        cookies.removeAll { Self.isSame($0, cookie) }
        if !Self.hasExpired(cookie) { cookies.append(cookie) }
        notify()
    }

    /// Removes cookies without a call of the observers. Reported: cookies that are set shortly before the end of the
    /// network process are lost. A device shows it by the end of that process.
    @_spi(Driver) public func lose(_ isLost: (HTTPCookie) -> Bool) { cookies.removeAll(where: isLost) }

    func removeAll() {
        guard !cookies.isEmpty else { return }
        cookies = []
        notify()
    }

    /// Returns when the observers have been called.
    @_spi(Driver) public func drain() async { await notification?.value }
}

// webkit/wkhttpcookiestoreobserver [WKHTTPCookieStoreObserver]
@MainActor
public protocol WKHTTPCookieStoreObserver: NSObjectProtocol {
    // webkit/wkhttpcookiestoreobserver/cookiesdidchange(in:)
    // [WKHTTPCookieStoreObserver cookiesDidChangeInCookieStore:]
    func cookiesDidChange(in cookieStore: WKHTTPCookieStore)
}
