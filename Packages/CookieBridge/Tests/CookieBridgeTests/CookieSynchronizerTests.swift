// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import CookieJar
import Foundation
import Testing
import WebEngine
import WebEngineTesting

@_spi(Facade) @testable import CookieBridge

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
