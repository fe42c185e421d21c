// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerTesting
import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import PackageFormat

/// A received request, reduced to the properties that must not depend on the mode.
struct SentBody: Encodable {
    /// The maximum size of a recorded body in bytes.
    private static let longestText = 4_096

    let method: String
    let query: String?
    let type: String?
    let language: String?
    /// A Boolean value that indicates whether the request had a `Content-Length`, which some servers require.
    let isSized: Bool
    let length: Int
    let sha256: String
    /// The bytes of a small body.
    let bytes: Data?

    /// Creates a record. The boundary of a multipart body, which differs in each request, is replaced by `BOUNDARY`.
    init(_ request: OriginRequest) {
        var (type, body) = (request.headers[.contentType], request.body)
        if let boundary = type.flatMap(Self.boundary) {
            type = type?.replacing(boundary, with: "BOUNDARY")
            body = body.replacing(Data(boundary.utf8), with: Data("BOUNDARY".utf8))
        }
        isSized = request.headers[.contentLength] != nil
        method = request.method.rawValue
        query = request.query
        self.type = type
        language = request.headers[.contentLanguage]
        length = body.count
        sha256 = SHA256Digest(of: body).hex
        bytes = body.count <= Self.longestText ? body : nil
    }

    private static func boundary(in type: String) -> String? {
        guard type.hasPrefix("multipart/"), let mark = type.firstRange(of: "boundary=") else { return nil }
        let boundary = type[mark.upperBound...].prefix { $0 != ";" }.filter { $0 != "\"" }
        return boundary.isEmpty ? nil : String(boundary)
    }
}
