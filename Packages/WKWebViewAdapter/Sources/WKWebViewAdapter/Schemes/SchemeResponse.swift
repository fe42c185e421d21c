// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

#if canImport(WebKit)
    internal import Foundation
    internal import HTTPTypes
    internal import ResourceLoading
    internal import SystemSupport
    internal import WebKit

    /// The responses of scheme tasks in the form of Foundation.
    enum SchemeResponse {
        /// Returns the response for a head. Fields of one name are combined (RFC 9110, section 5.3), because Foundation
        /// has one value for each name.
        /// - Parameter length: the number of body bytes, if known. It becomes `Content-Length` if the head has none, so
        ///   that the engine reports progress.
        /// - Throws: `ResourceError` with code `internal` if Foundation refuses the status or the fields, or if the URL
        ///   is missing.
        static func make(_ head: HTTPResponse, length: Int64?, at url: URL?) throws -> HTTPURLResponse {
            var fields: [String: String] = [:]
            var names: [String: String] = [:]
            for field in head.headerFields {
                let name = names[field.name.canonicalName] ?? field.name.rawName
                names[field.name.canonicalName] = name
                fields[name] = fields[name].map { "\($0), \(field.value)" } ?? field.value
            }
            if let length, length > 0, head.headerFields[.contentLength] == nil {
                fields["Content-Length"] = String(length)
            }
            let response = url.flatMap {
                HTTPURLResponse(
                    url: $0, statusCode: head.status.code, httpVersion: "HTTP/1.1", headerFields: fields)
            }
            guard let response else {
                throw ResourceError(
                    .internal, "the engine accepts no response with the status \(head.status.code)",
                    at: url?.absoluteString)
            }
            return response
        }
    }

    extension ResourceError {
        /// Returns the error of Foundation with which a task fails. A view converts it back to the code of an
        /// `EngineError`.
        ///
        /// `cancelled` becomes `unknown`: the engine reports a load that was stopped as `URLError.cancelled`.
        func urlError(at url: URL?) -> URLError {
            var info: [String: Any] = [NSLocalizedDescriptionKey: description]
            if let url { info[NSURLErrorFailingURLErrorKey] = url }
            return URLError(Self.codes[code] ?? .unknown, userInfo: info)
        }

        private static let codes: [Code: URLError.Code] = [
            .invalidRequest: .badURL, .unknownHost: .cannotFindHost, .cannotConnect: .cannotConnectToHost,
            .tls: .secureConnectionFailed, .connectionLost: .networkConnectionLost, .timedOut: .timedOut,
            .offline: .notConnectedToInternet, .tooLarge: .dataLengthExceedsMaximum,
            .tooManyRedirects: .httpTooManyRedirects, .blocked: .resourceUnavailable,
            .damaged: .cannotDecodeContentData, .io: .cannotOpenFile,
        ]
    }
#endif
