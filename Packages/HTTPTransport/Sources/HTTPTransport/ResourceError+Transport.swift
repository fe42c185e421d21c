// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTPCompression
internal import NIOPosix
internal import NIOSSL
internal import ResourceLoading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ResourceError {
    /// Wraps an error of AsyncHTTPClient and the libraries below it.
    init(transport error: any Error, at url: String) {
        let code: Code
        switch error {
        case let error as ResourceError:
            self = error
            return
        case is CancellationError:
            code = .cancelled
        case let error as HTTPClientError:
            code = Self.code(of: error)
        case let error as NIOConnectionError:
            let isUnknown = error.dnsAError != nil && error.dnsAAAAError != nil
            code = isUnknown ? .unknownHost : .cannotConnect
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            code = .tls
        case NIOHTTPDecompression.DecompressionError.limit:
            code = .tooLarge
        case let error as IOError where Self.connectFailures.contains(error.errnoCode):
            code = .cannotConnect
        default:
            code = .connectionLost
        }
        self.init(code, Self.summary(of: error), at: url, cause: error)
    }

    /// What connect(2) says of a peer that cannot be reached. A connection that was there ends otherwise.
    private static let connectFailures: Set<CInt> = [
        ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL,
    ]

    private static func code(of error: HTTPClientError) -> Code {
        switch error {
        case .cancelled: .cancelled
        case .connectTimeout, .tlsHandshakeTimeout, .httpProxyHandshakeTimeout, .socksHandshakeTimeout: .cannotConnect
        case .readTimeout, .writeTimeout, .deadlineExceeded, .getConnectionFromPoolTimeout: .timedOut
        case .invalidURL, .emptyHost, .emptyScheme: .invalidRequest
        case .invalidProxyResponse, .proxyAuthenticationRequired: .cannotConnect
        default: .connectionLost
        }
    }

    private static func summary(of error: any Error) -> String {
        String(describing: error).prefix { !$0.isNewline }.prefix(200).description
    }
}
