// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(Darwin)
    public import Darwin

    @usableFromInline typealias BaseMutex<Value: ~Copyable> = UnfairLock<Value>
#else
    public import Synchronization

    @usableFromInline typealias BaseMutex<Value: ~Copyable> = Synchronization.Mutex<Value>
#endif

/// A value that only one thread at a time can read or change.
///
/// Locking is not recursive, and the body must not suspend. Declare a mutex with `let`. The other modules use this type
/// instead of importing `Synchronization`, which needs iOS 18 and macOS 15. The value is stored inline, except on
/// Apple's systems, where it is on the heap.
public struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let base: BaseMutex<Value>

    /// Creates a mutex that holds a value.
    @inlinable
    public init(_ value: consuming sending Value) {
        base = BaseMutex(value)
    }

    /// Waits for the lock, calls `body` with the value, and releases the lock.
    /// - Returns: the result of `body`.
    /// - Throws: the error of `body`.
    @inlinable
    public borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        #if THREAD_SANITIZER
            try base.withLock { value throws(Failure) in
                recordLock(address)
                defer { recordUnlock(address) }
                return try body(&value)
            }
        #else
            try base.withLock(body)
        #endif
    }

    /// Calls `body` with the value if no other thread holds the lock. Never waits.
    /// - Returns: the result of `body`, or `nil` if the lock is held.
    /// - Throws: the error of `body`.
    @inlinable
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        #if THREAD_SANITIZER
            try base.withLockIfAvailable { value throws(Failure) in
                recordLock(address)
                defer { recordUnlock(address) }
                return try body(&value)
            }
        #else
            try base.withLockIfAvailable(body)
        #endif
    }
}

#if canImport(Darwin)
    /// A value and its lock. Both are on the heap, because a thread that waits for a lock uses its address.
    ///
    /// Unchecked: the value is used only while the lock is held.
    @usableFromInline
    struct UnfairLock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
        @usableFromInline let lock: UnsafeMutablePointer<os_unfair_lock_s>
        @usableFromInline let value: UnsafeMutablePointer<Value>

        @inlinable
        init(_ value: consuming sending Value) {
            lock = .allocate(capacity: 1)
            lock.initialize(to: os_unfair_lock_s())
            self.value = .allocate(capacity: 1)
            self.value.initialize(to: value)
        }

        @inlinable
        deinit {
            value.deinitialize(count: 1)
            value.deallocate()
            lock.deinitialize(count: 1)
            lock.deallocate()
        }

        @inlinable
        borrowing func withLock<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result {
            os_unfair_lock_lock(lock)
            defer { os_unfair_lock_unlock(lock) }
            return try body(&value.pointee)
        }

        @inlinable
        borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
            _ body: (inout sending Value) throws(Failure) -> sending Result
        ) throws(Failure) -> sending Result? {
            guard os_unfair_lock_trylock(lock) else { return nil }
            defer { os_unfair_lock_unlock(lock) }
            return try body(&value.pointee)
        }
    }
#endif

// `Scripts/test-races` sets the condition. The part of the lock that waits is in the Swift runtime, which is not
// instrumented: ThreadSanitizer would report a race of two threads of which one has waited for the other.
#if THREAD_SANITIZER
    extension Mutex where Value: ~Copyable {
        /// An address that only this mutex has.
        @usableFromInline var address: UnsafeMutableRawPointer {
            withUnsafePointer(to: base) { UnsafeMutableRawPointer(mutating: $0) }
        }
    }

    /// Records that the thread has the lock at an address.
    @usableFromInline
    @_silgen_name("__tsan_acquire")
    func recordLock(_ address: UnsafeMutableRawPointer)

    /// Records that the thread releases the lock at an address.
    @usableFromInline
    @_silgen_name("__tsan_release")
    func recordUnlock(_ address: UnsafeMutableRawPointer)
#endif
