// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@Suite("Locks and atomic values", .timeLimit(.minutes(1)))
struct MutexTests {
    private struct Token: ~Copyable {
        var count = 0
    }

    /// A shared object, because the values themselves cannot be copied.
    private final class Shared: Sendable {
        let locked = Mutex(0)
        let flag = Atomic(false)
        let count = Atomic(0)
    }

    private enum Failure: Error { case refused }

    @Test("A mutex permits one task at a time to change its value")
    func exclusion() async {
        let shared = Shared()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { shared.locked.withLock { $0 += 1 } } }
            }
        }
        #expect(shared.locked.withLock { $0 } == 80_000)
    }

    @Test("A mutex holds a noncopyable value and rethrows a typed error")
    func errors() {
        let mutex = Mutex(Token())
        #expect(throws: Failure.refused) {
            try mutex.withLock { token throws(Failure) in
                token.count += 1
                throw .refused
            }
        }
        #expect(mutex.withLock { $0.count } == 1)
    }

    @Test("withLockIfAvailable does not wait for a locked mutex")
    func availability() {
        let mutex = Mutex(1)
        #expect(mutex.withLockIfAvailable { $0 } == 1)
        let inner = mutex.withLock { _ in mutex.withLockIfAvailable { $0 } }
        #expect(inner == nil)
    }

    @Test("Many tasks read, replace and add to atomic values")
    func atomics() async {
        let shared = Shared()
        let firsts = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<10_000 { shared.count.add(1) }
                    return shared.flag.exchange(true) ? 0 : 1
                }
            }
            return await group.reduce(0, +)
        }
        // Read first, because the macro copies the receivers of method calls.
        let (count, isSet) = (shared.count.load(), shared.flag.load())
        #expect(count == 80_000 && firsts == 1 && isSet)
        shared.flag.store(false)
        let isStillSet = shared.flag.load()
        #expect(!isStillSet)
    }
}
