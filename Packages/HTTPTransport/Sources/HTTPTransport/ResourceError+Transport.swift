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
            if error.dnsAError != nil, error.dnsAAAAError != nil {
                code = .unknownHost
            } else {
                let isOffline = error.connectionErrors.allSatisfy { Self.isOffline($0.error) }
                code = isOffline && !error.connectionErrors.isEmpty ? .offline : .cannotConnect
            }
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError:
            code = .tls
        case NIOHTTPDecompression.DecompressionError.limit:
            code = .tooLarge
        case let error where Self.isOffline(error):
            code = .offline
        case let error as IOError where Self.connectFailures.contains(error.errnoCode):
            code = .cannotConnect
        default:
            code = .connectionLost
        }
        self.init(code, Self.summary(of: error), at: url, cause: error)
    }

    /// What connect(2) says of a peer that cannot be reached. A connection that was there ends otherwise.
    private static let connectFailures: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, EADDRNOTAVAIL]

    /// Whether connect(2) says that no network leads there: this device has none, or none of the address's family. The
    /// peer has no part in that.
    private static func isOffline(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return false }
        return [ENETUNREACH, ENETDOWN].contains(error.errnoCode)
    }

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
