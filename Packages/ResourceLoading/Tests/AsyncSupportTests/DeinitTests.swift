// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import Testing

@Suite("The end of an object of the main actor", .timeLimit(.minutes(1)))
struct DeinitTests {
    @MainActor
    private final class Owner {
        private let end: @MainActor () -> Void

        init(end: @escaping @MainActor () -> Void) { self.end = end }

        deinit { MainActor.runInDeinit(end) }
    }

    @MainActor
    private final class Ends {
        var count = 0
    }

    @Test("A release on the main actor runs the operation at once")
    @MainActor
    func mainActor() {
        let ends = Ends()
        var owner: Owner? = Owner { ends.count += 1 }
        #expect(owner != nil && ends.count == 0)
        owner = nil
        #expect(ends.count == 1)
    }

    @Test("A release on another thread runs the operation on the main actor")
    func otherThread() async {
        let (results, result) = AsyncStream<Int>.makeStream()
        let ends = Ends()
        let owner = Mutex<Owner?>(
            await Owner {
                ends.count += 1
                result.yield(ends.count)
            })
        let queue = SerialQueue("test")
        await queue.run { owner.withLock { $0 = nil } }
        for await count in results {
            #expect(count == 1)
            break
        }
    }
}
