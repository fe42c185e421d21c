// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import WebEngine
    internal import WebKit

    /// The failure of a load that WebKit reports.
    struct LoadFailure {
        /// The reason for which a load ended without its completion.
        enum Kind {
            case failed
            /// The page or the app stopped the load, or another load replaced it.
            case cancelled
            /// The response became a download or has no content, or a policy cancelled the load.
            case interrupted
        }

        let kind: Kind
        let error: EngineError

        init(kind: Kind, error: EngineError) {
            self.kind = kind
            self.error = error
        }

        /// Creates the description of an error of WebKit.
        /// - Parameter url: the URL of the load, for errors that name none.
        init(_ error: any Error, at url: String) {
            if let error = error as? URLError {
                kind = error.code == .cancelled ? .cancelled : .failed
                let message = (error.errorUserInfo[NSLocalizedDescriptionKey] as? String) ?? "\(error.code)"
                let failed = error.failingURL?.absoluteString ?? url
                self.error = EngineError(Self.codes[error.code] ?? .loadFailed, Self.line(message), at: failed)
                return
            }
            // A direct cast always succeeds on Apple's systems, with a warning, and not on Linux.
            let object: Any = error
            let webKitCode = (object as? NSError).flatMap { $0.domain == "WebKitErrorDomain" ? $0.code : nil }
            kind = webKitCode.map { Self.interruptionCodes.contains($0) } == true ? .interrupted : .failed
            let isBlocked = webKitCode.map { Self.blockedCodes.contains($0) } ?? false
            let message = Self.line(error.localizedDescription)
            self.error = EngineError(isBlocked ? .blocked : .loadFailed, message, at: url)
        }

        /// WebKitErrorFrameLoadInterruptedByPolicyChange, and WebKitErrorPlugInWillHandleLoad, which also stands for
        /// media that are shown directly.
        private static let interruptionCodes: Set<Int> = [102, 204]
        /// WebKitErrorCannotUseRestrictedPort, and the code of a load that content rules block.
        private static let blockedCodes: Set<Int> = [103, 104]

        private static func line(_ message: String) -> String {
            message.split(whereSeparator: \.isNewline).joined(separator: " ")
        }

        private static let codes: [URLError.Code: EngineError.Code] = {
            let codes: [(EngineError.Code, [URLError.Code])] = [
                (.unknownHost, [.cannotFindHost, .dnsLookupFailed]),
                (
                    .cannotConnect,
                    [
                        .cannotConnectToHost, .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed,
                        .callIsActive,
                    ]
                ),
                (
                    .tls,
                    [
                        .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                        .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection,
                    ]
                ),
                (.connectionLost, [.networkConnectionLost]), (.timedOut, [.timedOut]),
                (
                    .badAnswer,
                    [
                        .badServerResponse, .httpTooManyRedirects, .redirectToNonExistentLocation, .zeroByteResource,
                        .cannotDecodeRawData, .cannotDecodeContentData, .cannotParseResponse,
                        .dataLengthExceedsMaximum,
                    ]
                ),
            ]
            let pairs = codes.flatMap { code, causes in causes.map { ($0, code) } }
            return Dictionary(pairs) { first, _ in first }
        }()
    }
#endif
