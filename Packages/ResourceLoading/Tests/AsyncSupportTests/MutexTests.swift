// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@Suite("Locks and atomic values", .timeLimit(.minutes(1)))
struct MutexTests {
    private struct Token: ~Copyable {
        var count = 0
    }

    /// What cannot be copied is shared by an object.
    private final class Shared: Sendable {
        let locked = Mutex(0)
        let flag = Atomic(false)
        let count = Atomic(0)
    }

    private enum Failure: Error { case refused }

    @Test("A mutex lets one task at a time change its value")
    func exclusion() async {
        let shared = Shared()
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<10_000 { shared.locked.withLock { $0 += 1 } } }
            }
        }
        #expect(shared.locked.withLock { $0 } == 80_000)
    }

    @Test("A mutex holds a value that cannot be copied, and passes on a typed error")
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

    @Test("A mutex that is held is not waited for by withLockIfAvailable")
    func availability() {
        let mutex = Mutex(1)
        #expect(mutex.withLockIfAvailable { $0 } == 1)
        let inner = mutex.withLock { _ in mutex.withLockIfAvailable { $0 } }
        #expect(inner == nil)
    }

    @Test("Atomic values are read, replaced and counted by many tasks")
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
        // The macro copies what a method is called on.
        let (count, isSet) = (shared.count.load(), shared.flag.load())
        #expect(count == 80_000 && firsts == 1 && isSet)
        shared.flag.store(false)
        let isStillSet = shared.flag.load()
        #expect(!isStillSet)
    }
}
