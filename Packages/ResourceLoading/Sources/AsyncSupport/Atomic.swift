// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if !canImport(Darwin)
    public import Synchronization
#endif

/// A type whose values fit into 64 bits, so that ``Atomic`` can hold them.
public protocol AtomicValue: Sendable {
    /// The value as 64 bits.
    var atomicBits: UInt64 { get }
    /// Creates a value from its ``atomicBits``.
    init(atomicBits: UInt64)
}

/// A Boolean value or a number that several threads read and change.
///
/// Each operation is sequentially consistent: all threads see all operations in one order. No operation takes a lock,
/// except on Apple's systems, where atomics need iOS 18 and macOS 15.
public struct Atomic<Value: AtomicValue>: ~Copyable, Sendable {
    @usableFromInline let bits: AtomicBits

    /// Creates an atomic value.
    @inlinable
    public init(_ value: Value) {
        bits = AtomicBits(value.atomicBits)
    }

    /// Returns the current value.
    @inlinable
    public borrowing func load() -> Value {
        Value(atomicBits: bits.load())
    }

    /// Replaces the current value.
    @inlinable
    public borrowing func store(_ value: Value) {
        bits.store(value.atomicBits)
    }

    /// Replaces the current value and returns the previous one.
    @inlinable
    public borrowing func exchange(_ value: Value) -> Value {
        Value(atomicBits: bits.exchange(value.atomicBits))
    }
}

extension Atomic where Value == Int {
    /// Adds a number; the sum wraps around on overflow.
    @inlinable
    public borrowing func add(_ number: Int) {
        bits.add(number.atomicBits)
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

#if canImport(Darwin)
    /// 64 bits behind a lock.
    @usableFromInline
    struct AtomicBits: ~Copyable, Sendable {
        @usableFromInline let bits: Mutex<UInt64>

        @inlinable init(_ bits: UInt64) { self.bits = Mutex(bits) }

        @inlinable borrowing func load() -> UInt64 { bits.withLock { $0 } }
        @inlinable borrowing func store(_ new: UInt64) { bits.withLock { $0 = new } }
        @inlinable borrowing func add(_ number: UInt64) { bits.withLock { $0 &+= number } }

        @inlinable
        borrowing func exchange(_ new: UInt64) -> UInt64 {
            bits.withLock { bits in
                defer { bits = new }
                return bits
            }
        }
    }
#else
    /// 64 bits that change atomically.
    @usableFromInline
    struct AtomicBits: ~Copyable, Sendable {
        @usableFromInline let bits: Synchronization.Atomic<UInt64>

        @inlinable init(_ bits: UInt64) { self.bits = Synchronization.Atomic(bits) }

        @inlinable borrowing func load() -> UInt64 { bits.load(ordering: .sequentiallyConsistent) }
        @inlinable borrowing func store(_ new: UInt64) { bits.store(new, ordering: .sequentiallyConsistent) }
        @inlinable borrowing func add(_ number: UInt64) {
            bits.wrappingAdd(number, ordering: .sequentiallyConsistent)
        }

        @inlinable
        borrowing func exchange(_ new: UInt64) -> UInt64 {
            bits.exchange(new, ordering: .sequentiallyConsistent)
        }
    }
#endif
