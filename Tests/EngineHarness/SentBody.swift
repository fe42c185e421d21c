// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerTesting
import ContentDigest
internal import Foundation
internal import HTTPTypes
internal import PackageFormat

/// A request as a server got it, as far as it has to be the same however it came.
struct SentBody: Encodable {
    /// The longest body that is written out.
    private static let longestText = 4_096

    let method: String
    let query: String?
    let type: String?
    let language: String?
    /// Whether the length was told before the body came, for servers that want that.
    let isSized: Bool
    let length: Int
    let sha256: String
    /// The bytes, where there are few.
    let bytes: Data?

    /// The boundary of a multipart body, another one in each, becomes the word `BOUNDARY`.
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
