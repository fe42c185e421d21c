// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Driver) import Network
import Testing
@_spi(Driver) import WebKit

@MainActor
@Suite(.timeLimit(.minutes(1)))
struct StoreTests {
    private final class Observer: NSObject, WKHTTPCookieStoreObserver {
        var count = 0
        func cookiesDidChange(in cookieStore: WKHTTPCookieStore) { count += 1 }
    }

    private func cookie(_ name: String, _ value: String = "1", expires: Date? = nil) throws -> HTTPCookie {
        var properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: "a.example", .path: "/",
        ]
        properties[.expires] = expires
        return try #require(HTTPCookie(properties: properties))
    }

    @Test func storesCookies() async throws {
        let store = WKWebsiteDataStore.nonPersistent().httpCookieStore
        await store.setCookie(try cookie("a"))
        await store.setCookie(try cookie("a", "2"))
        await store.setCookie(try cookie("b"))
        #expect(await store.allCookies().map(\.value) == ["2", "1"])
        await store.deleteCookie(try cookie("a"))
        #expect(await store.allCookies().map(\.name) == ["b"])
        await store.setCookie(try cookie("b", expires: Date(timeIntervalSince1970: 1)))
        #expect(await store.allCookies().isEmpty)
        let last = try cookie("c")
        await withCheckedContinuation { continuation in
            store.setCookie(last) { store.delete(last) { continuation.resume() } }
        }
        let count = await withCheckedContinuation { continuation in
            store.getAllCookies { continuation.resume(returning: $0.count) }
        }
        #expect(count == 0)
    }

    @Test func callsObserversOnceAndLater() async throws {
        let store = WKWebsiteDataStore.nonPersistent().httpCookieStore
        let observer = Observer()
        store.add(observer)
        store.receive(try cookie("a"))
        store.receive(try cookie("b"))
        #expect(observer.count == 0)
        await store.drain()
        #expect(observer.count == 1)
        store.lose { $0.name == "a" }
        await store.drain()
        #expect(observer.count == 1)
        #expect(await store.allCookies().map(\.name) == ["b"])
        store.remove(observer)
        store.receive(try cookie("c"))
        await store.drain()
        #expect(observer.count == 1)
    }

    @Test func doesNotRetainObservers() async throws {
        let store = WKWebsiteDataStore.nonPersistent().httpCookieStore
        weak var observer: Observer?
        do {
            let released = Observer()
            observer = released
            store.add(released)
        }
        #expect(observer == nil)
        store.receive(try cookie("a"))
        await store.drain()
    }

    @Test func sharesDataOfAnIdentifier() async throws {
        let id = UUID()
        do {
            let store = WKWebsiteDataStore(forIdentifier: id)
            store.httpCookieStore.receive(try cookie("a"))
            #expect(await WKWebsiteDataStore(forIdentifier: id).httpCookieStore.allCookies().count == 1)
            #expect(store.isPersistent && store.identifier == id)
            await #expect(throws: WKError.self) { try await WKWebsiteDataStore.remove(forIdentifier: id) }
        }
        try await WKWebsiteDataStore.remove(forIdentifier: id)
        #expect(await WKWebsiteDataStore(forIdentifier: id).httpCookieStore.allCookies().isEmpty)
        #expect(WKWebsiteDataStore.default() === WKWebsiteDataStore.default())
        #expect(WKWebsiteDataStore.nonPersistent() !== WKWebsiteDataStore.nonPersistent())
    }

    @Test func removesRecords() async throws {
        let store = WKWebsiteDataStore.nonPersistent()
        let (cache, workers) = (WKWebsiteDataTypeDiskCache, WKWebsiteDataTypeServiceWorkerRegistrations)
        store.receive([cache, workers], of: "a.example")
        store.receive([cache], of: "b.example", modified: Date(timeIntervalSince1970: 1))
        store.httpCookieStore.receive(try cookie("a"))
        await store.removeData(ofTypes: [cache], modifiedSince: Date(timeIntervalSince1970: 2))
        #expect(await store.dataRecords(ofTypes: [cache]).map(\.displayName) == ["b.example"])
        let records = await store.dataRecords(ofTypes: [workers])
        #expect(records.map(\.dataTypes) == [[workers]])
        await store.removeData(ofTypes: WKWebsiteDataStore.allWebsiteDataTypes(), for: records)
        #expect(await store.dataRecords(ofTypes: [workers]).isEmpty)
        await store.removeData(ofTypes: [WKWebsiteDataTypeCookies], modifiedSince: Date(timeIntervalSince1970: 0))
        #expect(await store.httpCookieStore.allCookies().isEmpty)
    }

    @Test func keepsProxies() {
        let store = WKWebsiteDataStore.nonPersistent()
        var proxy = ProxyConfiguration(socksv5Proxy: .hostPort(host: "127.0.0.1", port: 1080))
        proxy.applyCredential(username: "a", password: "b")
        proxy.excludedDomains = ["example"]
        store.proxyConfigurations = [proxy]
        #expect(store.proxyConfigurations[0].credential?.password == "b")
        #expect(store.proxyConfigurations[0].kind == .socks5 && !store.proxyConfigurations[0].allowFailover)
        #expect(store.proxyConfigurations[0].excludedDomains == ["example"])
        store.proxyConfigurations = [ProxyConfiguration(httpCONNECTProxy: .hostPort(host: .init("a"), port: 1))]
        #expect(store.proxyConfigurations.map(\.kind) == [.httpCONNECT])
    }
}
