// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if os(Linux)
    import CWebKitGTK
    import Glibc
    import ResourceLoading
    import Testing

    @testable import WebKitGTKAdapter

    /// Tests of the process that reads a request body. The calls of these tests replace the engine's call.
    @Suite("Copied process", .serialized, .timeLimit(.minutes(3)))
    struct CopiedProcessTests {
        typealias Call = @convention(c) (UnsafeMutableRawPointer?) -> Void

        /// Calls `body` with memory for a lock. If `isShared` is true, copies share the memory with this process.
        private func withRoom(isShared: Bool = false, _ body: (UnsafeMutablePointer<Room>) throws -> Void) throws {
            let size = MemoryLayout<Room>.size
            let flags = MAP_ANONYMOUS | (isShared ? MAP_SHARED : MAP_PRIVATE)
            let memory = try #require(mmap(nil, size, PROT_READ | PROT_WRITE, flags, -1, 0))
            try #require(memory != MAP_FAILED)
            defer { munmap(memory, size) }
            let room = memory.bindMemory(to: Room.self, capacity: 1)
            room.initialize(to: Room())
            try #require(pthread_mutex_init(&room.pointee.lock, nil) == 0)
            try body(room)
        }

        @Test("A lock that a copy holds at its end remains unlocked in this process", arguments: [0, 1, 2, 3])
        func ends(index: Int) throws {
            let calls: [Call] = [
                { data in
                    holdLock(data)
                    abort()
                },
                { data in
                    holdLock(data)
                    raise(SIGSEGV)
                },
                { data in
                    holdLock(data)
                    kill(getpid(), SIGKILL)
                },
                { data in
                    holdLock(data)
                    _exit(0)
                },
            ]
            try withRoom { room in
                for _ in 0..<6 {
                    let end = containerkit_call_in_copies(calls[index], room)
                    #expect(end == CONTAINERKIT_COPY_ENDED)
                    #expect(WebKitGTKSchemeTask.error(of: end)?.code == .invalidRequest)
                    try #require(pthread_mutex_trylock(&room.pointee.lock) == 0)
                    pthread_mutex_unlock(&room.pointee.lock)
                }
                #expect(containerkit_call_in_copies({ _ in }, nil) == CONTAINERKIT_COPY_RETURNED)
            }
        }

        @Test("A copy that waits for an inherited lock is killed, and the request fails")
        func inheritedLock() throws {
            try withRoom { room in
                // Another thread of the app may hold the lock when the process is copied.
                pthread_mutex_lock(&room.pointee.lock)
                let end = containerkit_call_in_copies({ holdLock($0) }, room)
                #expect(end == CONTAINERKIT_COPY_TIMED_OUT)
                #expect(WebKitGTKSchemeTask.error(of: end)?.code == .timedOut)
                pthread_mutex_unlock(&room.pointee.lock)
                #expect(containerkit_call_in_copies({ holdLock($0) }, room) == CONTAINERKIT_COPY_RETURNED)
            }
        }

        @Test("A copy that does not return is killed, and another copy makes the call")
        func anotherCopy() throws {
            try withRoom(isShared: true) { room in
                let end = containerkit_call_in_copies(
                    { data in
                        guard let room = data?.assumingMemoryBound(to: Room.self) else { return }
                        room.pointee.calls += 1
                        guard room.pointee.calls == 1 else { return }
                        room.pointee.first = getpid()
                        while true { pause() }
                    }, room)
                #expect(end == CONTAINERKIT_COPY_RETURNED)
                #expect(room.pointee.calls == 2)
                let first = room.pointee.first
                #expect(first > 0 && kill(first, 0) == -1 && errno == ESRCH)
            }
        }
    }

    /// A lock, the number of calls that ran, and the process of the first call.
    private struct Room {
        var lock = pthread_mutex_t()
        var calls: Int32 = 0
        var first: pid_t = 0
    }

    /// Locks the lock of a room and does not unlock it.
    private func holdLock(_ data: UnsafeMutableRawPointer?) {
        guard let room = data?.assumingMemoryBound(to: Room.self) else { return }
        pthread_mutex_lock(&room.pointee.lock)
    }
#endif
