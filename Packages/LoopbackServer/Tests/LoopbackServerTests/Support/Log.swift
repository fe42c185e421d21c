// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix

/// Something that was waited for did not happen.
struct Overdue: Error, CustomStringConvertible {
    let description: String
}

/// What happened, in order, and who waits for it.
///
/// Isolation: any.
final class Log<Entry: Sendable>: Sendable {
    private struct State {
        var entries: [Entry] = []
        var waiting: [EventLoopPromise<Void>] = []
    }

    private let state = Mutex(State())

    var entries: [Entry] { state.withLock { $0.entries } }

    func append(_ entry: Entry) {
        let waiting = state.withLock { state in
            defer { state.waiting.removeAll() }
            state.entries.append(entry)
            return state.waiting
        }
        for promise in waiting { promise.succeed() }
    }

    /// The entry at a place, once it is there.
    func entry(_ index: Int) async throws -> Entry {
        try await value("entry \(index)") { $0.count > index ? $0[index] : nil }
    }

    /// Waits for what `choose` is looking for.
    func value<Value: Sendable>(_ what: String, _ choose: ([Entry]) -> Value?) async throws -> Value {
        while true {
            let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
            let found: (value: Value?, promise: EventLoopPromise<Void>?) = state.withLock { state in
                if let value = choose(state.entries) { return (value, nil) }
                let promise = eventLoop.makePromise(of: Void.self)
                state.waiting.append(promise)
                return (nil, promise)
            }
            if let value = found.value { return value }
            let deadline = eventLoop.scheduleTask(in: .seconds(20)) {
                found.promise?.fail(Overdue(description: "\(what) in \(self.entries.suffix(5))"))
            }
            defer { deadline.cancel() }
            try await found.promise?.futureResult.get()
        }
    }
}

/// Opens once, for all who wait.
///
/// Isolation: any.
final class Gate: Sendable {
    private let log = Log<Void>()

    func open() { log.append(()) }
    func passed() async throws { _ = try await log.value("a gate") { $0.isEmpty ? nil : true } }
}
