// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

extension ResourceError {
    /// Returns the error in the form that URLSession reports, with this error as the underlying error.
    func urlError(at url: URL?) -> URLError {
        var details: [String: Any] = [NSLocalizedDescriptionKey: "\(self)", NSUnderlyingErrorKey: self]
        details[NSURLErrorFailingURLErrorKey] = url
        return URLError(urlCode, userInfo: details)
    }

    private var urlCode: URLError.Code {
        switch code {
        case .invalidRequest: .badURL
        case .unknownHost: .cannotFindHost
        case .cannotConnect: .cannotConnectToHost
        case .tls: .secureConnectionFailed
        case .connectionLost: .networkConnectionLost
        case .timedOut: .timedOut
        case .offline: .notConnectedToInternet
        case .tooLarge: .dataLengthExceedsMaximum
        case .tooManyRedirects: .httpTooManyRedirects
        case .blocked: .cannotLoadFromNetwork
        case .damaged: .cannotDecodeRawData
        case .io: .cannotOpenFile
        case .cancelled: .cancelled
        default: .unknown
        }
    }
}
