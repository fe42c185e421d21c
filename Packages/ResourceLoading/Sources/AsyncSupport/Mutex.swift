// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Synchronization

/// A value that only one thread at a time can read or change.
///
/// The value is stored inline, without a heap allocation. Locking is not recursive, and the body must not suspend.
/// Declare a mutex with `let`. The other modules use this type instead of importing `Synchronization`, so that one
/// file decides the minimum system version.
public struct Mutex<Value: ~Copyable>: ~Copyable, Sendable {
    @usableFromInline let base: Synchronization.Mutex<Value>

    /// Creates a mutex that holds a value.
    @inlinable
    public init(_ value: consuming sending Value) {
        base = Synchronization.Mutex(value)
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
