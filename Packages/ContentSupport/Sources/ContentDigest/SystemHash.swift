// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation

#if canImport(CryptoKit)
    internal import CryptoKit
#else
    internal import CNettle
#endif

/// An incremental hash function of the system: CryptoKit on Apple's systems, nettle elsewhere.
///
/// Conforming types are values: a copy has a state of its own. The contexts of nettle are structures without pointers,
/// so that no state is on the heap on Linux.
protocol SystemHash: Sendable {
    init()

    /// Appends bytes to the input.
    mutating func update(_ bytes: UnsafeRawBufferPointer)

    /// Calls a function with the digest of the input so far. More input may follow.
    func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

extension SystemHash {
    /// Calls a function with the digest of data in memory.
    static func withDigest<Result>(of data: Data, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var hash = Self()
        data.withUnsafeBytes { hash.update($0) }
        return hash.withDigest(body)
    }
}

#if canImport(CryptoKit)
    /// A hash function of CryptoKit.
    struct CryptoKitHash<Function: HashFunction & Sendable>: SystemHash {
        private var function = Function()

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            function.update(bufferPointer: bytes)
        }

        func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            function.finalize().withUnsafeBytes { body($0) }
        }
    }

    typealias SystemMD5 = CryptoKitHash<Insecure.MD5>
    typealias SystemSHA256 = CryptoKitHash<SHA256>
    typealias SystemSHA384 = CryptoKitHash<SHA384>
    typealias SystemSHA512 = CryptoKitHash<SHA512>
#else
    // The functions of nettle do not allocate memory and cannot fail.

    /// MD5 of nettle.
    struct SystemMD5: SystemHash {
        private var context = md5_ctx()

        init() { nettle_md5_init(&context) }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            bytes.withNettleInput { nettle_md5_update(&context, $0, $1) }
        }

        func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var copy = context
            return withBytes(MD5_DIGEST_SIZE, read: body) { cnettle_md5_write(&copy, $0) }
        }
    }

    /// SHA-256 of nettle.
    struct SystemSHA256: SystemHash {
        private var context = sha256_ctx()

        init() { nettle_sha256_init(&context) }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            bytes.withNettleInput { nettle_sha256_update(&context, $0, $1) }
        }

        func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var copy = context
            return withBytes(SHA256_DIGEST_SIZE, read: body) { cnettle_sha256_write(&copy, $0) }
        }
    }

    /// SHA-384 of nettle.
    struct SystemSHA384: SystemHash {
        private var context = sha512_ctx()

        init() { nettle_sha384_init(&context) }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            bytes.withNettleInput { nettle_sha512_update(&context, $0, $1) }
        }

        func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var copy = context
            return withBytes(SHA384_DIGEST_SIZE, read: body) { cnettle_sha384_write(&copy, $0) }
        }
    }

    /// SHA-512 of nettle.
    struct SystemSHA512: SystemHash {
        private var context = sha512_ctx()

        init() { nettle_sha512_init(&context) }

        mutating func update(_ bytes: UnsafeRawBufferPointer) {
            bytes.withNettleInput { nettle_sha512_update(&context, $0, $1) }
        }

        func withDigest<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
            var copy = context
            return withBytes(SHA512_DIGEST_SIZE, read: body) { cnettle_sha512_write(&copy, $0) }
        }
    }

    extension UnsafeRawBufferPointer {
        /// Calls a function with the count and the address of the bytes, unless there are none.
        fileprivate func withNettleInput(_ body: (Int, UnsafePointer<UInt8>) -> Void) {
            guard count > 0, let baseAddress else { return }
            body(count, baseAddress.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Calls `write` with the address of bytes on the stack, and then `read` with the bytes.
    private func withBytes<Result>(
        _ count: Int32, read: (UnsafeRawBufferPointer) -> Result, write: (UnsafeMutablePointer<UInt8>) -> Void
    ) -> Result {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(count)) { bytes in
            if let start = bytes.baseAddress { write(start) }
            return read(UnsafeRawBufferPointer(bytes))
        }
    }
#endif
