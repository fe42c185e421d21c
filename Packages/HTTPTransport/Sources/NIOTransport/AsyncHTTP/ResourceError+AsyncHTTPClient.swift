// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
@_spi(Facade) internal import ConnectTunnel
internal import HTTPTransport
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading
internal import WebSyntax

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ResourceError {
    /// Creates an error from an error of AsyncHTTPClient or the libraries below it.
    /// - Parameter stage: The progress of the request.
    init(transport error: any Error, during stage: Exchange.Stage = .connecting, at url: String) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "cancelled", at: url)
        case is OwnListenerError:
            self.init(.blocked, "the connection would lead to the app's own listener", at: url, cause: error)
        case let error as HTTPClientError: self.init(client: error, during: stage, at: url)
        case let silence as Exchange.Silence:
            let (phase, message): (TransportFailure.Phase, String) =
                stage < .awaiting
                ? (.send, "the host accepted no more of the request for \(silence.limit)")
                : (.receive, "no data was received for \(silence.limit)")
            self.init(.timedOut, phase, message, error, at: url)
        case let error as ProxyConnectError:
            self.init(.cannotConnect, .connect, error.description, error, at: url)
        case let error as AddressLookUpError:
            self.init(error.isTimedOut ? .timedOut : .unknownHost, .resolve, error.description, error, at: url)
        case let error as AddressRaceError: self.init(error, of: error.errors, at: url)
        case let error as NIOConnectionError:
            let failures = error.connectionErrors.map(\.error)
            if failures.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
                self.init(.unknownHost, .resolve, "the host name has no address", error, at: url)
            } else {
                self.init(error, of: failures, at: url)
            }
        case let error as NIOSSLError where error != .uncleanShutdown: self.init(tls: error, at: url)
        case is NIOSSLExtraError, is BoringSSLError: self.init(tls: error, at: url)
        case is HTTPParserError:
            self.init(.connectionLost, .receive, "the response violates HTTP", error, at: url)
        case let error as MessageHeadViolation:
            self.init(.connectionLost, .receive, "the response violates HTTP: \(error)", error, at: url)
        case let error as ResponseHeadState.Violation:
            self.init(.connectionLost, .receive, "the response violates HTTP: \(error)", error, at: url)
        case is HostIdentityHandler.Mismatch:
            self.init(.tls, .tls, "the certificate does not match the host name", error, at: url)
        case is UnconfirmedResponseEnd:
            self.init(
                .connectionLost, .receive, "the connection ended within the response, which may be truncated", error,
                at: url)
        case let error where Self.isOffline(error):
            self.init(.offline, .connect, "no network route to the host", error, at: url)
        case let error as IOError where Self.connectFailures.contains(error.errnoCode):
            self.init(.cannotConnect, .connect, Self.message(ofConnect: error), error, at: url)
        default: self.init(lost: error, during: stage, at: url)
        }
    }

    private init(
        _ code: Code, _ phase: TransportFailure.Phase, _ message: String, _ error: any Error, at url: String
    ) {
        self.init(code, TransportFailure(phase, message, underlying: error), at: url)
    }

    /// The errors of connect(2) for an unreachable peer. An established connection ends with other errors.
    private static let connectFailures: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, EADDRNOTAVAIL]

    /// Returns a Boolean value that indicates whether connect(2) has failed because this device has no network, or no
    /// network of the address family.
    private static func isOffline(_ error: any Error) -> Bool {
        (error as? IOError)?.isUnreachableNetwork ?? false
    }

    private static func message(ofConnect error: any Error) -> String {
        switch (error as? IOError)?.errnoCode {
        case ECONNREFUSED: "the host refused the connection"
        case .some: "the host is unreachable"
        case nil: "connecting to the host timed out"
        }
    }

    /// Creates an error for the failures of all addresses of a host.
    private init(_ error: any Error, of failures: [any Error], at url: String) {
        if !failures.isEmpty, failures.allSatisfy(Self.isOffline) {
            self.init(.offline, .connect, "no network route to the host", error, at: url)
        } else {
            // If several addresses failed, a refusal is reported, because it is the most specific error.
            let reporting = failures.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED } ?? failures.first ?? error
            self.init(.cannotConnect, .connect, Self.message(ofConnect: reporting), error, at: url)
        }
    }

    private init(tls error: any Error, at url: String) {
        // BoringSSL provides its reasons only as text.
        let isDistrust = String(describing: error).contains("CERTIFICATE_VERIFY_FAILED")
        let isOtherName = (error as? NIOSSLExtraError) == .failedToValidateHostname
        let message =
            if isOtherName {
                "the certificate does not match the host name"
            } else if isDistrust {
                "the host's certificate is not trusted"
            } else {
                "the TLS handshake with the host failed"
            }
        self.init(.tls, .tls, message, error, at: url)
    }

    /// Creates an error for an established connection that has ended.
    private init(lost error: any Error, during stage: Exchange.Stage, at url: String) {
        let (phase, message): (TransportFailure.Phase, String) =
            switch stage {
            // The peer has closed a pooled connection.
            case .connecting: (.connect, "the connection ended before the request was sent")
            case .sending: (.send, "the connection ended while the request was sent")
            case .awaiting: (.receive, "the connection ended before the response")
            case .receiving: (.receive, "the connection ended during the response")
            }
        self.init(
            .connectionLost,
            TransportFailure(phase, message, underlying: error, isUnanswered: stage < .receiving), at: url)
    }

    private init(client error: HTTPClientError, during stage: Exchange.Stage, at url: String) {
        switch error {
        case .cancelled, .requestStreamCancelled: self.init(.cancelled, "cancelled", at: url)
        case .connectTimeout, .getConnectionFromPoolTimeout:
            self.init(.cannotConnect, .connect, "connecting to the host timed out", error, at: url)
        case .tlsHandshakeTimeout:
            self.init(.cannotConnect, .tls, "the TLS handshake with the host timed out", error, at: url)
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self.init(.cannotConnect, .connect, "the proxy did not respond in time", error, at: url)
        case .invalidProxyResponse:
            self.init(.cannotConnect, .connect, "the proxy cannot reach the host", error, at: url)
        case .proxyAuthenticationRequired:
            self.init(.cannotConnect, .connect, "the proxy requires authentication", error, at: url)
        case .writeTimeout:
            self.init(.timedOut, .send, "sending the request timed out", error, at: url)
        case .readTimeout, .deadlineExceeded:
            self.init(.timedOut, .receive, "receiving the response timed out", error, at: url)
        case .invalidURL, .emptyHost, .emptyScheme:
            self.init(.invalidRequest, "the URL cannot be requested", at: url, cause: error)
        case .bodyLengthMismatch:
            self.init(.invalidRequest, .send, "the request body does not have the announced length", error, at: url)
        case .alreadyShutdown: self.init(.cannotConnect, .connect, "the transport was shut down", error, at: url)
        case .remoteConnectionClosed, .uncleanShutdown: self.init(lost: error, during: stage, at: url)
        default:
            if stage == .connecting {
                // The header fields or the body are invalid.
                self.init(.invalidRequest, "the request is not valid in HTTP", at: url, cause: error)
            } else {
                self.init(
                    .connectionLost, stage < .awaiting ? .send : .receive, "the exchange violated HTTP",
                    error, at: url)
            }
        }
    }
}
