// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation

// cryptokit/digest
public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable where Element == UInt8 {
    static var byteCount: Int { get }
}

// cryptokit/hashfunction
public protocol HashFunction: Sendable {
    associatedtype Digest: CryptoKit.Digest
    static var blockByteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

/// Stands for the digest of each function, which all have types of their own.
public struct AnyDigest<Function>: Digest {
    init() {}
    public static var byteCount: Int { 0 }
    public var description: String { "" }
    public func makeIterator() -> Array<UInt8>.Iterator { [].makeIterator() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(UnsafeRawBufferPointer(start: nil, count: 0))
    }
}

// cryptokit/insecure
public enum Insecure {
    // cryptokit/insecure/md5
    public struct MD5: HashFunction {
        public static var blockByteCount: Int { 0 }
        public init() {}
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
        public func finalize() -> AnyDigest<Self> { AnyDigest() }
    }
}

// cryptokit/sha256
public struct SHA256: HashFunction {
    public static var blockByteCount: Int { 0 }
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest<Self> { AnyDigest() }
}

// cryptokit/sha384
public struct SHA384: HashFunction {
    public static var blockByteCount: Int { 0 }
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest<Self> { AnyDigest() }
}

// cryptokit/sha512
public struct SHA512: HashFunction {
    public static var blockByteCount: Int { 0 }
    public init() {}
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) {}
    public func finalize() -> AnyDigest<Self> { AnyDigest() }
}
