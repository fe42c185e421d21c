// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension ResourceError {
    /// Puts an error of URLSession into the words of this house.
    /// - Parameters:
    ///   - hasHead: whether the answer's head was there.
    ///   - isSent: whether the request was, as far as that is known.
    init(session error: any Error, hasHead: Bool, isSent: Bool, at url: String) {
        switch error {
        case let error as ResourceError: self = error
        case is CancellationError: self.init(.cancelled, "stopped", at: url)
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
                (.receive, "the connection ended within the answer")
            } else if isSent {
                (.receive, "the connection ended before the answer")
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
            case .cannotFindHost, .dnsLookupFailed: failure(.unknownHost, .resolve, "the host's name has no address")
            case .cannotConnectToHost:
                failure(.cannotConnect, .connect, "the host refuses connections or cannot be reached")
            case .notConnectedToInternet, .dataNotAllowed, .internationalRoamingOff:
                failure(.offline, .connect, "no network leads to the host")
            case .timedOut: failure(.timedOut, .receive, "nothing came in time")
            case .secureConnectionFailed: failure(.tls, .tls, "no TLS could be agreed with the host")
            case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
                .serverCertificateNotYetValid:
                failure(.tls, .tls, "the host's certificate is not trusted")
            case .clientCertificateRejected, .clientCertificateRequired:
                failure(.tls, .tls, "the host asks for a certificate")
            case .appTransportSecurityRequiresSecureConnection:
                failure(.blocked, .connect, "the system does not allow connections without TLS")
            case .cannotDecodeContentData, .cannotDecodeRawData:
                failure(.connectionLost, .receive, "the body is not in the coding that its head names")
            case .badServerResponse, .cannotParseResponse:
                failure(.connectionLost, .receive, "the answer breaks the rules of HTTP")
            // On Linux libcurl's faults of TLS have no code of their own, only their text.
            case .unknown where !hasHead && error.localizedDescription.contains("certificate"):
                failure(.tls, .tls, "the host's certificate is not trusted")
            case .unknown where !hasHead && error.localizedDescription.contains("SSL"):
                failure(.tls, .tls, "no TLS could be agreed with the host")
            default: nil
            }
        switch (error.code, known) {
        case (_, let known?): self.init(known.0, known.1, at: url)
        case (.cancelled, nil): self.init(.cancelled, "stopped", at: url, cause: error)
        case (.badURL, nil), (.unsupportedURL, nil):
            self.init(.invalidRequest, "not a URL that can be asked", at: url, cause: error)
        default: self.init(lost: error, hasHead: hasHead, isSent: isSent, at: url)
        }
    }
}
