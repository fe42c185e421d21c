// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import CookieJar
import Foundation
import PublicSuffixList
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @_spi(Testing) @testable import CookieBridge

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Tests of the jar and the engine's store without a container.
@MainActor
@Suite("Cookie synchronizer", .timeLimit(.minutes(1)))
struct CookieSynchronizerTests {
    private let store = FakeEngine().jar
    private let clock = ManualClock()
    private let delegate = Delegate()

    private var sessionOnly: CookieOptions {
        var options = CookieOptions()
        options.isPersistent = false
        options.native = .none
        return options
    }

    @Test("A store that does not respond delays one page; later pages wait again when it responds")
    func behind() async throws {
        let synchronizer = CookieSynchronizer(
            sessionOnly, directory: "", engine: store, clock: clock, delegate: delegate)
        var changes = delegate.changes.makeAsyncIterator()
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        store.hangs = true
        let first = Task { await synchronizer.waitUntilSynchronized() }
        // Two sleepers wait: the limit of the page and the limit of the read.
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(3))
        await first.value
        #expect(await changes.next() == true)
        // These calls return immediately.
        for _ in 0..<3 { await synchronizer.waitUntilSynchronized() }
        store.hangs = false
        store.put(EngineCookie(name: "id", value: "7", domain: "shop.example"))
        // The limit of the hanging read expires, and the read is tried again after a pause.
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .seconds(7))
        await clock.sleepers(atLeast: 2)
        clock.advance(by: .milliseconds(50))
        #expect(await changes.next() == false)
        await synchronizer.waitUntilSynchronized()
        #expect(synchronizer.jar?.cookies.map(\.value) == ["7"])
        await synchronizer.shutDown()
        #expect(delegate.events.withLock { $0 } == ["page not synchronized", "engine store answers"])
    }

    @Test("A damaged file is moved aside, and the delegate receives its new path")
    func damage() async throws {
        let folder = try TemporaryFolder()
        try folder.write("cookies.json", Data("{".utf8))
        let synchronizer = CookieSynchronizer(
            CookieOptions(), directory: folder.path, engine: nil, clock: clock, delegate: delegate)
        #expect(synchronizer.jar?.cookies.isEmpty == true && !synchronizer.coversEngine)
        #expect(delegate.events.withLock { $0 } == ["file damaged"])
        let url = try #require(CookieURL("https://shop.example/"))
        synchronizer.jar?.store(setCookies: ["id=1; Max-Age=600"], from: url)
        await synchronizer.shutDown()
        let next = CookieSynchronizer(
            CookieOptions(), directory: folder.path, engine: nil, clock: clock, delegate: delegate)
        #expect(next.jar?.cookies.map(\.value) == ["1"])
        try await next.clear(.domains(["shop.example"]))
        #expect(try !folder.text(of: "cookies.json").contains("shop.example"))
    }

    /// Options with the app's storage, and the storage.
    private func withNative() throws -> (CookieOptions, HTTPCookieStorage) {
        let storage = try #require(URLSessionConfiguration.ephemeral.httpCookieStorage)
        var options = sessionOnly
        options.native = .storage(storage)
        options.isPersistent = true
        // A busy machine must not fail a test.
        options.openLimit = .seconds(50)
        return (options, storage)
    }

    private func put(_ name: String, _ value: String, in storage: HTTPCookieStorage) throws {
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: name, .value: value, .domain: "shop.example", .path: "/",
        ]
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
    }

    @Test("A login of the app is in the engine before a page opens, with and without a jar", arguments: [true, false])
    func login(hasJar: Bool) async throws {
        let folder = try TemporaryFolder()
        let (options, storage) = try withNative()
        try put("early", "1", in: storage)
        // The app has signed in before the start, so its value wins over the engine's old one.
        store.put(EngineCookie(name: "early", value: "0", domain: "shop.example"))
        let synchronizer = CookieSynchronizer(
            options, directory: folder.path, hasJar: hasJar, engine: store, delegate: delegate)
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.map(\.value) == ["1"])
        try put("late", "2", in: storage)
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.map(\.value) == ["1", "2"])
        #expect(synchronizer.jar?.cookies.map(\.value) == (hasJar ? ["1", "2"] : nil))
        // Deletions reach the pages, too.
        for cookie in storage.cookies ?? [] where cookie.name == "early" { storage.deleteCookie(cookie) }
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.map(\.value) == ["2"])
        let writes = store.writes
        await synchronizer.synchronize()
        #expect(store.writes == writes && writes == 3)
        await synchronizer.shutDown()
        #expect(delegate.events.withLock { $0 }.isEmpty)
    }

    @Test("A cookie of a page is in the app's storage, with its attributes, and a deletion removes it")
    func fromPage() async throws {
        let folder = try TemporaryFolder()
        let (options, storage) = try withNative()
        let synchronizer = CookieSynchronizer(options, directory: folder.path, engine: store, delegate: delegate)
        try await synchronizer.start()
        let url = try #require(CookieURL("https://shop.example/"))
        synchronizer.jar?.store(setCookies: ["id=1; Secure; HttpOnly; SameSite=Strict; Max-Age=600"], from: url)
        await synchronizer.synchronize()
        let cookie = try #require(storage.cookies?.first)
        #expect(cookie.value == "1" && cookie.isSecure && cookie.isHTTPOnly && cookie.expiresDate != nil)
        // The storage has no `SameSite`, and its echo weakens no other store.
        await synchronizer.synchronize()
        #expect(synchronizer.jar?.cookies.first?.sameSite == .strict && store.cookies.first?.sameSite == .strict)
        try await store.remove(name: "id", domain: "shop.example", path: "/")
        await synchronizer.synchronize()
        #expect(storage.cookies?.isEmpty == true && synchronizer.jar?.cookies.isEmpty == true)
        await synchronizer.shutDown()
    }

    @Test(
        "With an engine in memory or without persistence, no cookie of a page is written to the disk",
        arguments: [true, false])
    func privacy(isEphemeral: Bool) async throws {
        let folder = try TemporaryFolder()
        try folder.write("native-cookies.json", Data(#"{"format":1,"cookies":[]}"#.utf8))
        let (persistent, storage) = try withNative()
        var options = persistent
        store.isEphemeral = isEphemeral
        options.isPersistent = isEphemeral
        var synchronizer = CookieSynchronizer(options, directory: folder.path, engine: store, delegate: delegate)
        try await synchronizer.start()
        let url = try #require(CookieURL("https://shop.example/"))
        synchronizer.jar?.store(setCookies: ["id=1; Max-Age=600"], from: url)
        // The second call reads the cookie that the first has written.
        for _ in 1...2 { await synchronizer.synchronize() }
        #expect(storage.cookies?.map(\.expiresDate) == [nil])
        #expect(synchronizer.jar?.cookies.first?.expires != nil && store.cookies.first?.expires != nil)
        await synchronizer.shutDown()
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/native-cookies.json"))
        // A later container of the process finds the session cookie in the storage.
        synchronizer = CookieSynchronizer(options, directory: folder.path, engine: store, delegate: delegate)
        try await synchronizer.start()
        await synchronizer.synchronize()
        #expect(synchronizer.jar?.cookies.first?.expires != nil && store.cookies.first?.expires != nil)
        #expect(storage.cookies?.map(\.expiresDate) == [nil])
        await synchronizer.shutDown()
    }

    @Test(
        "A sign-out before the start is part of the first page, also after a kill before the engine has applied it",
        arguments: [true, false])
    func signOut(hasJar: Bool) async throws {
        let folder = try TemporaryFolder()
        let (usual, storage) = try withNative()
        var options = usual
        options.reportsRemovals = true
        let end = Date(timeIntervalSinceNow: 600)
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "id", .value: "1", .domain: "shop.example", .path: "/", .expires: end,
        ]
        let login = try #require(HTTPCookie(properties: properties))
        storage.setCookie(login)
        let make = { [options, store, delegate] in
            CookieSynchronizer(options, directory: folder.path, hasJar: hasJar, engine: store, delegate: delegate)
        }
        var synchronizer = make()
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.map(\.value) == ["1"])
        await synchronizer.shutDown()

        storage.deleteCookie(login)
        // The engine does not respond until the process is killed.
        store.hangs = true
        let killed = make()
        try await killed.start()
        await killed.shutDown()
        store.hangs = false

        synchronizer = make()
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.isEmpty)
        if hasJar {
            let url = try #require(CookieURL("https://shop.example/"))
            #expect(synchronizer.pages?.jar.cookieHeader(for: url, context: .sameSite) == nil)
        }
        // The login of a page afterwards is kept.
        await synchronizer.removal.withLock { $0 }?.value
        await synchronizer.shutDown()
        store.put(EngineCookie(name: "id", value: "2", domain: "shop.example"))
        synchronizer = make()
        try await synchronizer.start()
        await synchronizer.synchronize()
        #expect(store.cookies.map(\.value) == ["2"])
        await synchronizer.shutDown()
    }

    @Test("A request waits for a change of the app's storage; without one it does not")
    func requests() async throws {
        let folder = try TemporaryFolder()
        let (options, storage) = try withNative()
        let synchronizer = CookieSynchronizer(options, directory: folder.path, engine: store, delegate: delegate)
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        let pages = try #require(synchronizer.pages)
        #expect(pages.refresh?.isNeeded == false)
        try put("id", "1", in: storage)
        #expect(pages.refresh?.isNeeded == true)
        await pages.refresh?.wait()
        #expect(synchronizer.jar?.cookies.map(\.value) == ["1"])
        try put("id", "2", in: storage)
        #expect(try await synchronizer.refreshed(store).all().map(\.value) == ["2"])
        await synchronizer.shutDown()
    }

    @Test("Concurrent requests share a transfer and its limit, and wait only for the store that they read")
    func transfers() async throws {
        let (_, storage) = try withNative()
        let entries = CookieStore(publicSuffixes: SuffixList(), limits: NativeCookieRecord.limits)
        let native = try #require(
            NativeCookies(.storage(storage), record: NativeCookieRecord(entries, file: nil)))
        let (engine, jar) = (FakeStore(), FakeStore())
        let reconciler = CookieReconciler([(.native, native), (.engine, engine), (.jar, jar)], clock: clock)
        engine.closeGate()
        try await reconciler.start()
        // The first reads have ended, so that they do not show the change.
        try await reconciler.barrier()
        try put("id", "1", in: storage)
        let refresh = NativeRefresh(native, reconciler, to: .engine)
        let first = Task { await refresh.wait() }
        await clock.sleepers(atLeast: 1)
        while native.hasChanged { await Task.yield() }
        // The read has ended, so these requests wait only because a transfer is in progress.
        let requests = (1...20).map { _ in Task { await refresh.wait() } } + [first]
        let haveEnded = Mutex(false)
        let end = Task {
            for request in requests { await request.value }
            haveEnded.withLock { $0 = true }
        }
        // The reconciler has sleepers of its own, so the limit of the transfer may begin later.
        while !haveEnded.withLock({ $0 }) {
            clock.advance(by: .seconds(2))
            await Task.yield()
        }
        await end.value
        #expect(await reconciler.counters.lateTransfers == 1)
        // The clock stands still, so that a request that waits for the engine would not end. Later requests do not wait
        // for the same change again.
        await refresh.wait()
        refresh.isBehind.withLock { $0 = true }
        try put("id", "2", in: storage)
        await refresh.wait()
        await NativeRefresh(native, reconciler, to: .jar).wait()
        // The signal of the first wait may have read the change already. If the jar does not get it, the limit ends
        // the test.
        while jar.values != ["id": "2"], !Task.isCancelled { await Task.yield() }
        #expect(jar.values == ["id": "2"])
        engine.openGate()
        await reconciler.stop()
    }

    @Test("A request waits for a change that another transfer has read and that its store still lacks")
    func otherTransfer() async throws {
        let (_, storage) = try withNative()
        let entries = CookieStore(publicSuffixes: SuffixList(), limits: NativeCookieRecord.limits)
        let native = try #require(
            NativeCookies(.storage(storage), record: NativeCookieRecord(entries, file: nil)))
        let (engine, jar) = (FakeStore(), FakeStore())
        let reconciler = CookieReconciler([(.native, native), (.engine, engine), (.jar, jar)], clock: clock)
        try await reconciler.start()
        try await reconciler.barrier()
        let refresh = NativeRefresh(native, reconciler, to: .engine)
        engine.closeGate()
        try put("id", "1", in: storage)
        await NativeRefresh(native, reconciler, to: .jar).wait()
        #expect(jar.values == ["id": "1"] && engine.values.isEmpty && !native.hasChanged)
        #expect(refresh.isNeeded)
        let request = Task {
            await refresh.wait()
            return engine.values
        }
        // The sleeper is the limit of the request.
        await clock.sleepers(atLeast: 1)
        engine.openGate()
        #expect(await request.value == ["id": "1"])
        await reconciler.stop()
    }

    @Test("Opening a page does not wait for a hanging engine if the app does not use its storage")
    func unused() async throws {
        let folder = try TemporaryFolder()
        let (options, _) = try withNative()
        store.hangs = true
        let synchronizer = CookieSynchronizer(
            options, directory: folder.path, hasJar: false, engine: store, clock: clock, delegate: delegate)
        try await synchronizer.start()
        await synchronizer.waitUntilSynchronized()
        #expect(synchronizer.jar == nil && synchronizer.pages == nil)
        await synchronizer.shutDown()
        #expect(delegate.events.withLock { $0 }.isEmpty)
    }

    @Test("Cookies of unknown sites of a local server and of `localhost` stay in the engine")
    func localServer() async throws {
        let folder = try TemporaryFolder()
        let (options, storage) = try withNative()
        for domain in ["shop.localhost", "localhost", "shop.example"] {
            try await store.set(EngineCookie(name: "id", value: domain, domain: domain))
        }
        let synchronizer = CookieSynchronizer(
            options, directory: folder.path, hasJar: false, engine: store, localServerToken: "token",
            delegate: delegate)
        try await synchronizer.start()
        await synchronizer.synchronize()
        #expect(storage.cookies?.map(\.value) == ["shop.example"])
        // A cookie of the app for `localhost` stays in the storage, and does not replace that of the server.
        let properties: [HTTPCookiePropertyKey: Any] = [
            .name: "id", .value: "app", .domain: "localhost", .path: "/",
        ]
        storage.setCookie(try #require(HTTPCookie(properties: properties)))
        for _ in 1...2 { await synchronizer.synchronize() }
        #expect(storage.cookies?.map(\.value).sorted() == ["app", "shop.example"])
        #expect(store.cookies.map(\.value) == ["shop.localhost", "localhost", "shop.example"])
        try await synchronizer.clear(.all)
        #expect(storage.cookies?.isEmpty == true && store.cookies.isEmpty)
        await synchronizer.shutDown()
    }

    @Test("Clearing fails if the engine's store fails; the jar is cleared anyway")
    func clearingFails() async throws {
        let synchronizer = CookieSynchronizer(
            sessionOnly, directory: "", engine: store, clock: ContinuousClock(), delegate: delegate)
        try await synchronizer.start()
        let url = try #require(CookieURL("https://shop.example/"))
        synchronizer.jar?.store(setCookies: ["id=1"], from: url)
        await synchronizer.waitUntilSynchronized()
        #expect(store.cookies.map(\.value) == ["1"])
        store.removalFailure = EngineError(.storage, "no")
        await #expect(throws: CookieBridgeError.self) { try await synchronizer.clear(.all) }
        #expect(synchronizer.jar?.cookies.isEmpty == true)
        await synchronizer.shutDown()
    }
}

private final class Delegate: CookieSynchronizerDelegate {
    let events = Mutex<[String]>([])
    let changes: AsyncStream<Bool>
    private let change: AsyncStream<Bool>.Continuation

    init() {
        (changes, change) = AsyncStream.makeStream()
    }

    func record(_ event: CookieSynchronizer.Event) {
        let name: String? =
            switch event {
            // The number of store failures is not determined.
            case .storesDiffer: nil
            case .fileNotRead: "file not read"
            case .fileDamaged: "file damaged"
            case .fileNotWritten: "file not written"
            case .pageNotSynchronized: "page not synchronized"
            case .responseNotSynchronized: "response not synchronized"
            case .engineStoreAnswers: "engine store answers"
            case .engineStoreSilent: "engine store silent"
            }
        if let name { events.withLock { $0.append(name) } }
    }

    func engineStoreChanged(isBehind: Bool) {
        change.yield(isBehind)
    }
}
