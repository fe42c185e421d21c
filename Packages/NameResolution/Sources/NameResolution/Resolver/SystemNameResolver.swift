// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
package import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// A resolver of the system, which knows the files, servers and domains that the device is configured with.
package protocol SystemNameResolving: Sendable {
    /// Returns the addresses of both families, in the order of the system.
    /// - Throws: ``NameResolutionError`` with code `noSuchName` or `systemFailure`.
    func addresses(of host: String) async throws -> [IPAddress]
}

/// The resolver getaddrinfo(3), on threads of its own: it blocks, and cannot be cancelled once it has started.
struct SystemNameResolver: SystemNameResolving {
    /// The maximum number of names that are resolved at the same time.
    private static let maxThreads = 8
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "container-names"
        queue.maxConcurrentOperationCount = maxThreads
        return queue
    }()

    func addresses(of host: String) async throws -> [IPAddress] {
        let isCancelled = Mutex(false)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<[IPAddress], any Error>) in
                Self.queue.addOperation {
                    continuation.resume(
                        with: Result {
                            // Names that nobody waits for any more do not delay others.
                            if isCancelled.withLock({ $0 }) { throw CancellationError() }
                            return try Self.resolve(host)
                        })
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }
    }

    /// Resolves a name. Blocks.
    static func resolve(_ host: String) throws(NameResolutionError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        #if canImport(Glibc)
            hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            let code: NameResolutionError.Code = isMissing(status) ? .noSuchName : .systemFailure
            throw NameResolutionError(code, String(cString: gai_strerror(status)), at: host)
        }
        defer { freeaddrinfo(first) }
        var addresses: [IPAddress] = []
        var next = first
        while let entry = next {
            if let address = address(entry.pointee), !addresses.contains(address) { addresses.append(address) }
            next = entry.pointee.ai_next
        }
        return addresses
    }

    private static func isMissing(_ status: CInt) -> Bool {
        // EAI_NODATA is not in the headers by default.
        #if os(Linux)
            status == EAI_NONAME || status == -5
        #else
            status == EAI_NONAME || status == EAI_NODATA
        #endif
    }

    private static func address(_ entry: addrinfo) -> IPAddress? {
        guard let socket = entry.ai_addr else { return nil }
        switch entry.ai_family {
        case AF_INET:
            return socket.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin_addr) { IPAddress(octets: $0) }
            }
        case AF_INET6:
            return socket.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { pointer in
                withUnsafeBytes(of: pointer.pointee.sin6_addr) { IPAddress(octets: $0) }
            }
        default: return nil
        }
    }
}
