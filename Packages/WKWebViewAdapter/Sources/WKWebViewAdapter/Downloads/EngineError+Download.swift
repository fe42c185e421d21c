// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import SystemSupport
    internal import WebEngine

    extension EngineError {
        /// Creates the error of a failed download. Its message contains the system's reason, if there is one.
        /// - Parameters:
        ///   - failure: the error of WebKit.
        ///   - url: the URL of the download.
        init(ofDownload failure: any Error, at url: String) {
            let errors = Self.chain(failure as NSError)
            let reasons = errors.compactMap { Self.reason(of: $0) }
            let code = errors.lazy.compactMap { Self.code(of: $0) }.first ?? .loadFailed
            let texts = [errors[0].localizedDescription] + reasons.prefix(1)
            self.init(code, texts.joined(separator: ": ").printable(limit: 500), at: url)
        }

        /// Returns an error and the errors that caused it; at most four.
        private static func chain(_ failure: NSError) -> [NSError] {
            var errors = [failure]
            while errors.count < 4, let cause = errors.last?.userInfo[NSUnderlyingErrorKey] as? any Error {
                errors.append(cause as NSError)
            }
            return errors
        }

        /// Returns the system's description of an error of writing; otherwise `nil`.
        private static func reason(of error: NSError) -> String? {
            switch (error.domain, error.code) {
            case (NSPOSIXErrorDomain, let number): SystemError.reason(of: CInt(truncatingIfNeeded: number))
            case (NSCocoaErrorDomain, CocoaError.Code.fileWriteOutOfSpace.rawValue): SystemError.reason(of: ENOSPC)
            default: nil
            }
        }

        private static func code(of error: NSError) -> Code? {
            // The initializer fails for unknown codes on Linux only.
            let loadCode: URLError.Code? = URLError.Code(rawValue: error.code)
            return switch error.domain {
            case NSURLErrorDomain: loadCode.flatMap { code(of: $0) }
            // The codes of reading and writing files.
            case NSCocoaErrorDomain where (256..<1_024).contains(error.code): .storage
            case NSPOSIXErrorDomain where diskErrors.contains(CInt(truncatingIfNeeded: error.code)): .storage
            default: nil
            }
        }

        private static let diskErrors: Set<CInt> = [
            EACCES, EDQUOT, EEXIST, EFBIG, EIO, EISDIR, ENAMETOOLONG, ENOENT, ENOSPC, ENOTDIR, EPERM, EROFS,
        ]

        private static func code(of code: URLError.Code) -> Code? {
            switch code {
            case .cannotCreateFile, .cannotOpenFile, .cannotCloseFile, .cannotWriteToFile, .cannotRemoveFile,
                .cannotMoveFile, .noPermissionsToReadFile:
                .storage
            case .timedOut: .timedOut
            case .cannotFindHost, .dnsLookupFailed: .unknownHost
            case .cannotConnectToHost, .notConnectedToInternet: .cannotConnect
            case .networkConnectionLost: .connectionLost
            case .secureConnectionFailed, .serverCertificateHasBadDate, .serverCertificateUntrusted,
                .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
                .clientCertificateRequired:
                .tls
            case .badServerResponse, .httpTooManyRedirects, .redirectToNonExistentLocation, .cannotDecodeRawData,
                .cannotDecodeContentData, .cannotParseResponse, .zeroByteResource:
                .badAnswer
            default: nil
            }
        }
    }
#endif
