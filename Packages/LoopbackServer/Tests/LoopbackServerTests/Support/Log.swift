// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import NIOCore
import NIOPosix

/// The error for an expected event that did not happen in time.
struct Overdue: Error, CustomStringConvertible {
    let description: String
}

/// A log of entries that tests can wait for.
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

    /// Waits for the entry at an index.
    func entry(_ index: Int) async throws -> Entry {
        try await value("entry \(index)") { $0.count > index ? $0[index] : nil }
    }

    /// Waits until `choose` returns a value.
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

/// A gate that opens once for all waiting callers.
///
/// Isolation: any.
final class Gate: Sendable {
    private let log = Log<Void>()

    func open() { log.append(()) }
    func passed() async throws { _ = try await log.value("a gate") { $0.isEmpty ? nil : true } }
}
