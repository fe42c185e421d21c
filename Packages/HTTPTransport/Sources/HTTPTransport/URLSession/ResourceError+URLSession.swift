// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension ResourceError {
    /// Creates an error from an error of URLSession.
    /// - Parameters:
    ///   - error: The error.
    ///   - hasHead: A Boolean value that indicates whether the response head was received.
    ///   - isSent: A Boolean value that indicates whether the request was sent, as far as known.
    ///   - url: The location of the error.
    init(session error: any Error, hasHead: Bool, isSent: Bool, at url: String) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "cancelled", at: url)
        case let silence as SessionExchange.Silence:
            self.init(
                .timedOut,
                TransportFailure(silence.phase, "\(silence.message) for \(silence.limit)", underlying: silence), at: url
            )
        case let error as URLError: self.init(url: error, hasHead: hasHead, isSent: isSent, at: url)
        default: self.init(lost: error, hasHead: hasHead, isSent: isSent, at: url)
        }
    }

    private init(lost error: any Error, hasHead: Bool, isSent: Bool, at url: String) {
        let (phase, message): (TransportFailure.Phase, String) =
            if hasHead {
                (.receive, "the connection ended during the response")
            } else if isSent {
                (.receive, "the connection ended before the response")
            } else {
                (.send, "the connection ended while the request was sent")
            }
        self.init(.connectionLost, TransportFailure(phase, message, underlying: error), at: url)
    }

    private init(url error: URLError, hasHead: Bool, isSent: Bool, at url: String) {
        func failure(
            _ code: Code, _ phase: TransportFailure.Phase, _ message: String
        ) -> (Code, TransportFailure) {
            (code, TransportFailure(phase, message, underlying: error))
        }
        let known: (Code, TransportFailure)? =
            switch error.code {
            case .cannotFindHost, .dnsLookupFailed: failure(.unknownHost, .resolve, "the host name has no address")
            case .cannotConnectToHost:
                failure(.cannotConnect, .connect, "the host refused the connection or is unreachable")
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
                failure(.offline, .connect, "no network route to the host")
            case .timedOut: failure(.timedOut, .receive, "receiving the response timed out")
            case .secureConnectionFailed: failure(.tls, .tls, "the TLS handshake with the host failed")
            case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid:
                failure(.tls, .tls, "the host's certificate is not trusted")
            case .clientCertificateRejected, .clientCertificateRequired:
                failure(.tls, .tls, "the host requires a client certificate")
            case .appTransportSecurityRequiresSecureConnection:
                failure(.blocked, .connect, "the system does not allow connections without TLS")
            case .cannotDecodeContentData, .cannotDecodeRawData:
                failure(.connectionLost, .receive, "the body does not have the content coding of its head")
            case .badServerResponse, .cannotParseResponse:
                failure(.connectionLost, .receive, "the response violates HTTP")
            // On Linux, TLS errors of libcurl have no code of their own, only their text.
            case .unknown where !hasHead && error.localizedDescription.contains("certificate"):
                failure(.tls, .tls, "the host's certificate is not trusted")
            case .unknown where !hasHead && error.localizedDescription.contains("SSL"):
                failure(.tls, .tls, "the TLS handshake with the host failed")
            default: nil
            }
        switch (error.code, known) {
        case (_, let known?): self.init(known.0, known.1, at: url)
        case (.cancelled, nil): self.init(.cancelled, "cancelled", at: url, cause: error)
        case (.badURL, nil), (.unsupportedURL, nil):
            self.init(.invalidRequest, "the URL cannot be requested", at: url, cause: error)
        default: self.init(lost: error, hasHead: hasHead, isSent: isSent, at: url)
        }
    }
}
