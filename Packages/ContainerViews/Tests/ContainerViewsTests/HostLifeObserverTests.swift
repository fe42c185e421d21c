// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import BaseTesting
import ContainerKit
import Foundation
import Testing
import WebEngineTesting

@testable import ContainerViews

extension HostLifeNotifications {
    /// Names like those of a system that suspends apps.
    fileprivate static let test = HostLifeNotifications(
        background: Notification.Name("test.background"), foreground: Notification.Name("test.foreground"),
        memoryWarning: Notification.Name("test.memory"), suspends: true)
}

/// A receiver that records the calls. `hostEnteredBackground()` waits until its task is cancelled if `waits` is `true`.
@MainActor
private final class Receiver: HostLifeReceiver {
    private(set) var calls: [String] = []
    var waits = false
    var failing: Set<String> = []

    private func record(_ call: String) throws {
        calls.append(call)
        if failing.contains(call) { throw Failure(call: call) }
    }

    func hostEnteredBackground() async throws {
        try record("background")
        guard waits else { return }
        for await _ in AsyncStream<Void>.makeStream().stream {}
        try Task.checkCancellation()
    }

    func hostEnteredForeground() { calls.append("foreground") }
    func hostWillSuspend() async throws { try record("suspend") }
    func hostResumed() async throws { try record("resumed") }
    func releaseMemory() { calls.append("memory") }
}

private struct Failure: Error {
    let call: String
}

/// A system that grants time until a test calls ``expire()``.
private final class Delay: SuspensionDelaying {
    private struct State {
        var begins = 0
        var ends = 0
        var expired: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    /// The numbers of requests that began and ended.
    var requests: [Int] { state.withLock { [$0.begins, $0.ends] } }

    func begin(expired: @escaping @Sendable () -> Void) -> @Sendable () -> Void {
        state.withLock {
            $0.begins += 1
            $0.expired = expired
        }
        return { [self] in state.withLock { $0.ends += 1 } }
    }

    func expire() { state.withLock { $0.expired }?() }
}

@MainActor
@Suite("Host life observer", .timeLimit(.minutes(1)))
struct HostLifeObserverTests {
    private let center = NotificationCenter()
    private let receiver = Receiver()
    private let delay = Delay()

    private func observer(
        _ names: HostLifeNotifications = .test, report: @escaping @MainActor (any Error) -> Void = { _ in }
    ) -> HostLifeObserver {
        HostLifeObserver(receiver: receiver, center: center, names: names, delay: delay, report: report)
    }

    private func post(_ names: Notification.Name?...) {
        for case let name? in names { center.post(name: name, object: nil) }
    }

    @Test("An app that is suspended and resumes reports each state once, in order")
    func suspension() async {
        let observer = observer()
        post(.init("test.background"), .init("test.background"))
        await observer.transition?.value
        #expect(receiver.calls == ["background", "suspend"])
        #expect(delay.requests == [1, 1])
        post(.init("test.foreground"), .init("test.foreground"))
        await observer.transition?.value
        #expect(receiver.calls == ["background", "suspend", "resumed", "foreground"])
    }

    @Test("A system without suspension gets no calls for it")
    func withoutSuspension() async {
        var names = HostLifeNotifications.test
        names.suspends = false
        let observer = observer(names)
        post(names.background)
        await observer.transition?.value
        post(names.foreground)
        await observer.transition?.value
        #expect(receiver.calls == ["background", "foreground"])
        #expect(delay.requests == [0, 0])
    }

    @Test("A memory warning releases memory before the notification returns")
    func memory() {
        let observer = observer()
        post(.init("test.memory"))
        #expect(receiver.calls == ["memory"])
        withExtendedLifetime(observer) {}
    }

    @Test("The end of the granted time cancels the work in the background and releases the locks")
    func expiry() async throws {
        receiver.waits = true
        let observer = observer()
        post(.init("test.background"))
        try await until { receiver.calls == ["background"] }
        #expect(delay.requests == [1, 0])
        delay.expire()
        await observer.transition?.value
        #expect(receiver.calls == ["background", "suspend"])
        #expect(delay.requests == [1, 1])
    }

    @Test("An app that returns early is not suspended")
    func earlyReturn() async throws {
        receiver.waits = true
        let observer = observer()
        post(.init("test.background"))
        try await until { receiver.calls == ["background"] }
        post(.init("test.foreground"))
        await observer.transition?.value
        #expect(receiver.calls == ["background", "foreground"])
        #expect(delay.requests == [1, 1])
    }

    @Test("Notifications without a pause leave the state of the last one")
    func burst() async {
        let observer = observer()
        post(.init("test.background"), .init("test.foreground"), .init("test.background"))
        await observer.transition?.value
        #expect(receiver.calls.suffix(2) == ["background", "suspend"])
        #expect(receiver.calls.filter { $0 == "suspend" }.count == 1)
        #expect(delay.requests == [2, 2])
    }

    @Test("A failed call is reported, and the calls after it are made")
    func errors() async {
        receiver.failing = ["background", "suspend", "resumed"]
        var reported: [String] = []
        let observer = observer { reported.append(($0 as? Failure)?.call ?? "\($0)") }
        post(.init("test.background"))
        await observer.transition?.value
        post(.init("test.foreground"))
        await observer.transition?.value
        #expect(reported == ["background", "suspend", "resumed"])
        #expect(receiver.calls == ["background", "suspend", "resumed", "foreground"])
        #expect(delay.requests == [1, 1])
    }

    @Test("A released observer observes nothing")
    func release() {
        var observer: HostLifeObserver? = observer()
        post(.init("test.memory"))
        observer = nil
        post(.init("test.memory"))
        #expect(receiver.calls == ["memory"] && observer == nil)
    }

    @Test("A suspended container has released the lock of its folder")
    func container() async throws {
        let folder = try TemporaryFolder()
        var configuration = ContainerConfiguration(directory: folder.path + "/store")
        configuration.network.cookies.native = .none
        configuration.views.warmsUpWhenIdle = false
        let container = try await Container(engine: FakeEngine(), configuration: configuration)
        var errors: [any Error] = []
        let observer = HostLifeObserver(
            receiver: container, center: center, names: .test, delay: delay
        ) { errors.append($0) }
        await #expect(throws: StoreError.self) {
            try await Container(engine: FakeEngine(), configuration: configuration)
        }
        post(.init("test.background"))
        await observer.transition?.value
        do {
            let other = try await Container(engine: FakeEngine(), configuration: configuration)
            await other.shutDown()
        }
        post(.init("test.foreground"))
        await observer.transition?.value
        #expect(errors.isEmpty, "\(errors)")
        await container.shutDown()
    }
}

@Suite("Expiring activity", .timeLimit(.minutes(1)))
struct ExpiringActivityTests {
    @Test("The system's call lasts until the end of the activity")
    func blocking() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let activity = ExpiringActivity {}
        let hasReturned = Mutex(false)
        Thread.detachNewThread {
            activity.run(isExpired: false)
            hasReturned.withLock { $0 = true }
            continuation.finish()
        }
        #expect(!hasReturned.withLock { $0 })
        activity.end()
        for await _ in stream {}
        #expect(hasReturned.withLock { $0 })
        // A call that comes late returns immediately.
        activity.run(isExpired: false)
    }

    @Test("An expiry is reported once, and not after the end")
    func expiry() {
        let count = Mutex(0)
        let activity = ExpiringActivity(limit: .seconds(0)) { count.withLock { $0 += 1 } }
        activity.run(isExpired: true)
        activity.run(isExpired: true)
        #expect(count.withLock { $0 } == 1)
        let ended = ExpiringActivity { count.withLock { $0 += 1 } }
        ended.end()
        ended.run(isExpired: true)
        #expect(count.withLock { $0 } == 1)
    }

    @Test("Without granted time the system's call lasts until the end of the activity")
    func refusal() async {
        let events = Mutex<[String]>([])
        let (expiries, expiry) = AsyncStream<Void>.makeStream()
        let (returns, hasReturned) = AsyncStream<Void>.makeStream()
        // Only the end of the activity ends the call.
        let activity = ExpiringActivity(limit: .seconds(3_600)) {
            events.withLock { $0.append("expired") }
            expiry.finish()
        }
        Thread.detachNewThread {
            activity.run(isExpired: true)
            events.withLock { $0.append("returned") }
            hasReturned.finish()
        }
        for await _ in expiries {}
        // A call that does not wait returns during the turns of other tasks.
        for _ in 0..<1_000 { await Task.yield() }
        events.withLock { $0.append("ended") }
        activity.end()
        for await _ in returns {}
        #expect(events.withLock { $0 } == ["expired", "ended", "returned"])
    }

    @Test("The wait for the end of an expired activity has a limit")
    func limit() {
        let activity = ExpiringActivity(limit: .milliseconds(50)) {}
        let duration = ContinuousClock().measure { activity.run(isExpired: true) }
        // The clocks of Dispatch and Swift differ a little.
        #expect(duration >= .milliseconds(40))
        // Calls after the end return immediately.
        activity.end()
        activity.run(isExpired: false)
        activity.run(isExpired: true)
    }
}
