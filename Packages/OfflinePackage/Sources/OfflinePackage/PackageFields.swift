// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContentDigest
internal import Foundation
internal import HTTPTypes
@_spi(Packaging) internal import PackageFormat

/// The header fields of the responses of packages and of previews of a folder. `ResponseFieldRule` decides which fields
/// the rules add for a path.
enum PackageFields {
    private static let revalidate = HTTPField(name: .cacheControl, value: "no-cache")

    /// Returns the fields of a file. An installed file and an arriving one have equal fields, so that the copy in the
    /// engine's cache stays valid.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - rules: the rules of the package that add fields.
    static func fields(
        of path: String, mediaType: String, digest: SHA256Digest, rules: [ResponseFieldRule]
    ) -> HTTPFields {
        var fields = HTTPFields()
        // The capacity includes fields that decorators add.
        fields.reserveCapacity(6)
        fields.append(HTTPField(name: .contentType, value: mediaType))
        let added = rules.isEmpty ? HTTPFields() : rules.fields(of: path)
        guard !added.isEmpty else {
            fields.append(HTTPField(name: .eTag, value: "\"\(digest)\""))
            fields.append(revalidate)
            return fields
        }
        // An engine keeps some fields of a cached response when it is revalidated, so other fields need another tag.
        fields.append(HTTPField(name: .eTag, value: "\"\(digest)-\(tag(of: added))\""))
        if added[.cacheControl] == nil { fields.append(revalidate) }
        for field in added { fields.append(field) }
        return fields
    }

    /// Returns the fields of a 404 response.
    /// - Parameters:
    ///   - path: the path of the missing file.
    ///   - rules: the rules of the package that lacks it.
    static func fields(ofMissing path: String, rules: [ResponseFieldRule]) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "text/html;charset=utf-8"]
        let added = rules.fields(of: path)
        if added[.cacheControl] == nil { fields.append(revalidate) }
        for field in added { fields.append(field) }
        return fields
    }

    /// Returns the fields of a file of a preview, which no cache may store.
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - rules: the rules that `h5 pack` would give the package.
    static func fields(ofPreviewed path: String, mediaType: String, rules: [ResponseFieldRule]) -> HTTPFields {
        var fields: HTTPFields = [.contentType: mediaType, .cacheControl: "no-store"]
        for field in rules.fields(of: path) where field.name != .cacheControl { fields.append(field) }
        return fields
    }

    /// Returns a tag of fields: 16 hex digits of a SHA-256.
    private static func tag(of fields: HTTPFields) -> Substring {
        var hasher = SHA256Hasher()
        for field in fields { hasher.update(Data("\(field.name.rawName): \(field.value)\n".utf8)) }
        return hasher.finalize().hex.prefix(16)
    }
}
