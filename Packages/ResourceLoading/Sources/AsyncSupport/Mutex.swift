// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Synchronization

/// A value that one thread at a time reads or changes.
///
/// It holds no heap storage of its own. Locking is not recursive, and nothing may suspend while the lock is held.
/// Declare it with `let`. The package's other modules do not import `Synchronization`, so that the oldest system the
/// project runs on is decided in one place.
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
        try base.withLock(body)
    }

    /// Calls `body` with the value if no other thread holds the lock, and never waits.
    /// - Returns: the result of `body`, or `nil` if the lock is held.
    /// - Throws: the error of `body`.
    @inlinable
    public borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result? {
        try base.withLockIfAvailable(body)
    }
}
