// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Synchronization

/// A type whose values fit into 64 bits, so that ``Atomic`` can hold them.
public protocol AtomicValue: Sendable {
    /// The value as 64 bits.
    var atomicBits: UInt64 { get }
    /// Creates a value from its ``atomicBits``.
    init(atomicBits: UInt64)
}

/// A Boolean value or a number that several threads read and change without a lock.
///
/// Each operation is sequentially consistent: all threads see all operations in one order.
public struct Atomic<Value: AtomicValue>: ~Copyable, Sendable {
    @usableFromInline let bits: Synchronization.Atomic<UInt64>

    /// Creates an atomic value.
    @inlinable
    public init(_ value: Value) {
        bits = Synchronization.Atomic(value.atomicBits)
    }

    /// Returns the current value.
    @inlinable
    public borrowing func load() -> Value {
        Value(atomicBits: bits.load(ordering: .sequentiallyConsistent))
    }

    /// Replaces the current value.
    @inlinable
    public borrowing func store(_ value: Value) {
        bits.store(value.atomicBits, ordering: .sequentiallyConsistent)
    }

    /// Replaces the current value and returns the previous one.
    @inlinable
    public borrowing func exchange(_ value: Value) -> Value {
        Value(atomicBits: bits.exchange(value.atomicBits, ordering: .sequentiallyConsistent))
    }
}

extension Atomic where Value == Int {
    /// Adds a number; the sum wraps around on overflow.
    @inlinable
    public borrowing func add(_ number: Int) {
        bits.wrappingAdd(number.atomicBits, ordering: .sequentiallyConsistent)
    }
}

extension Bool: AtomicValue {
    /// Creates the value from its bits.
    @inlinable public var atomicBits: UInt64 { self ? 1 : 0 }
    @inlinable public init(atomicBits: UInt64) { self = atomicBits != 0 }
}

extension Int: AtomicValue {
    /// Creates the value from its bits.
    @inlinable public var atomicBits: UInt64 { UInt64(bitPattern: Int64(self)) }
    @inlinable public init(atomicBits: UInt64) { self = Int(Int64(bitPattern: atomicBits)) }
}

extension UInt64: AtomicValue {
    /// Creates the value from its bits.
    @inlinable public var atomicBits: UInt64 { self }
    @inlinable public init(atomicBits: UInt64) { self = atomicBits }
}
