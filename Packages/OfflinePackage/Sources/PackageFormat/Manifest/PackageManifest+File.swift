// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

extension PackageManifest {
    /// One file of a package.
    public struct File: Encodable, Sendable, Hashable {
        /// The path below the archive's root and below the base URL.
        public var path: ArchivePath
        /// The number of uncompressed bytes.
        public var size: Int64
        /// The digest of the uncompressed bytes.
        public var sha256: SHA256Digest
        /// The value of the `Content-Type` field, such as `text/html;charset=utf-8`.
        public var mediaType: String
        /// The position in the manifest's ``PackageManifest/archive``. Either all files have a slice, or none.
        @_spi(Packaging) public var slice: ArchiveSlice?

        /// Creates a file of a manifest.
        public init(path: ArchivePath, size: Int64, sha256: SHA256Digest, mediaType: String) {
            self.path = path
            self.size = size
            self.sha256 = sha256
            self.mediaType = mediaType
        }

        public func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(path, forKey: .path)
            try container.encode(size, forKey: .size)
            try container.encode(sha256, forKey: .sha256)
            try container.encode(mediaType, forKey: .mediaType)
            guard let slice else { return }
            try container.encode(slice.offset, forKey: .offset)
            try container.encode(slice.size, forKey: .packed)
            try container.encode(slice.method, forKey: .method)
        }

        private enum CodingKeys: String, CodingKey {
            case path
            case size
            case sha256
            case mediaType = "type"
            case offset
            case packed
            case method
        }

        func validate() throws {
            guard size >= 0 else {
                throw PackageError(.badManifest, "the file has a negative size", at: path.description)
            }
            // The value becomes a header field, so it must not contain characters that end the line (RFC 9110, 5.5).
            let bytes = mediaType.utf8
            guard (3...255).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }),
                let slash = mediaType.firstIndex(of: "/"), slash != mediaType.startIndex,
                mediaType.index(after: slash) != mediaType.endIndex
            else { throw PackageError(.badManifest, "the type is not a media type", at: path.description) }
        }
    }
}
