// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
@_spi(Facade) internal import ResourceLoading

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

extension ResourceError {
    /// Puts an error of AsyncHTTPClient and the libraries below it into the words of this house.
    /// - Parameter stage: how far the request came.
    init(transport error: any Error, during stage: Exchange.Stage = .connecting, at url: String) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "stopped", at: url)
        case let error as HTTPClientError: self.init(client: error, during: stage, at: url)
        case let silence as Exchange.Silence:
            let (phase, message): (TransportFailure.Phase, String) =
                stage < .awaiting
                ? (.send, "the host took no more of the request for \(silence.limit)")
                : (.receive, "nothing came for \(silence.limit)")
            self.init(.timedOut, phase, message, error, at: url)
        case let failure as NIOConnectionError: self.init(connection: failure, at: url)
        case let error as NIOSSLError where error != .uncleanShutdown: self.init(tls: error, at: url)
        case is NIOSSLExtraError, is BoringSSLError: self.init(tls: error, at: url)
        case is HTTPParserError:
            self.init(.connectionLost, .receive, "the answer breaks the rules of HTTP", error, at: url)
        case let error as ResponseHeadState.Violation:
            self.init(.connectionLost, .receive, "the response breaks the rules of HTTP: \(error)", error, at: url)
        case is HostIdentityHandler.Mismatch:
            self.init(.tls, .tls, "the host's certificate is for another name", error, at: url)
        case is MissingCloseNotify:
            self.init(.connectionLost, .receive, "TLS ended without close_notify within the response", error, at: url)
        case let error where Self.isOffline(error):
            self.init(.offline, .connect, "no network leads to the host", error, at: url)
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

    /// What connect(2) says of a peer that cannot be reached. A connection that was there ends otherwise.
    private static let connectFailures: Set<CInt> = [ECONNREFUSED, EHOSTUNREACH, EHOSTDOWN, EADDRNOTAVAIL]

    /// Whether connect(2) says that no network leads there: this device has none, or none of the address's family. The
    /// peer has no part in that.
    private static func isOffline(_ error: any Error) -> Bool {
        guard let error = error as? IOError else { return false }
        return [ENETUNREACH, ENETDOWN].contains(error.errnoCode)
    }

    private static func message(ofConnect error: any Error) -> String {
        switch (error as? IOError)?.errnoCode {
        case ECONNREFUSED: "the host refuses connections"
        case .some: "the host cannot be reached"
        case nil: "no connection to the host could be made in time"
        }
    }

    private init(connection error: NIOConnectionError, at url: String) {
        let failures = error.connectionErrors.map(\.error)
        if failures.isEmpty, error.dnsAError != nil || error.dnsAAAAError != nil {
            self.init(.unknownHost, .resolve, "the host's name has no address", error, at: url)
        } else if !failures.isEmpty, failures.allSatisfy(Self.isOffline) {
            self.init(.offline, .connect, "no network leads to the host", error, at: url)
        } else {
            // Of several addresses the one that says most: a refusal.
            let reporting = failures.first { ($0 as? IOError)?.errnoCode == ECONNREFUSED } ?? failures.first ?? error
            self.init(.cannotConnect, .connect, Self.message(ofConnect: reporting), error, at: url)
        }
    }

    private init(tls error: any Error, at url: String) {
        // BoringSSL gives its reasons as text alone.
        let isDistrust = String(describing: error).contains("CERTIFICATE_VERIFY_FAILED")
        let isOtherName = (error as? NIOSSLExtraError) == .failedToValidateHostname
        let message =
            if isOtherName {
                "the host's certificate is for another name"
            } else if isDistrust {
                "the host's certificate is not trusted"
            } else {
                "no TLS could be agreed with the host"
            }
        self.init(.tls, .tls, message, error, at: url)
    }

    /// The connection was there and is gone.
    private init(lost error: any Error, during stage: Exchange.Stage, at url: String) {
        let (phase, message): (TransportFailure.Phase, String) =
            switch stage {
            // A pooled connection whose peer has gone.
            case .connecting: (.connect, "the connection ended before the request was sent")
            case .sending: (.send, "the connection ended while the request was sent")
            case .awaiting: (.receive, "the connection ended before the answer")
            case .receiving: (.receive, "the connection ended within the answer")
            }
        self.init(
            .connectionLost,
            TransportFailure(phase, message, underlying: error, isUnanswered: stage < .receiving), at: url)
    }

    private init(client error: HTTPClientError, during stage: Exchange.Stage, at url: String) {
        switch error {
        case .cancelled, .requestStreamCancelled: self.init(.cancelled, "stopped", at: url)
        case .connectTimeout, .getConnectionFromPoolTimeout:
            self.init(.cannotConnect, .connect, "no connection to the host could be made in time", error, at: url)
        case .tlsHandshakeTimeout:
            self.init(.cannotConnect, .tls, "the host did not agree on TLS in time", error, at: url)
        case .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            self.init(.cannotConnect, .connect, "the proxy did not answer in time", error, at: url)
        case .invalidProxyResponse:
            self.init(.cannotConnect, .connect, "the proxy cannot reach the host", error, at: url)
        case .proxyAuthenticationRequired:
            self.init(.cannotConnect, .connect, "the proxy asks who is there", error, at: url)
        case .writeTimeout:
            self.init(.timedOut, .send, "the host took no more of the request in time", error, at: url)
        case .readTimeout, .deadlineExceeded:
            self.init(.timedOut, .receive, "nothing came in time", error, at: url)
        case .invalidURL, .emptyHost, .emptyScheme:
            self.init(.invalidRequest, "not a URL that can be asked", at: url, cause: error)
        case .bodyLengthMismatch:
            self.init(.invalidRequest, .send, "the request's body is not as long as it was said to be", error, at: url)
        case .alreadyShutdown: self.init(.cannotConnect, .connect, "the transport was shut down", error, at: url)
        case .remoteConnectionClosed, .uncleanShutdown: self.init(lost: error, during: stage, at: url)
        default:
            if stage == .connecting {
                // Fields, or a body, that no request may have.
                self.init(.invalidRequest, "a request that HTTP does not allow", at: url, cause: error)
            } else {
                self.init(
                    .connectionLost, stage < .awaiting ? .send : .receive, "the exchange broke the rules of HTTP",
                    error, at: url)
            }
        }
    }
}
