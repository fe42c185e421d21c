// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

extension PackageManifest {
    /// The zip that the files' slices refer to. A slice means nothing in any other archive.
    public struct Archive: Encodable, Sendable, Hashable {
        /// Bytes of the zip.
        public var size: Int64
        /// The digest of the zip's bytes.
        public var sha256: SHA256Digest

        private enum CodingKeys: String, CodingKey {
            case size, sha256
        }

        public init(size: Int64, sha256: SHA256Digest) {
            self.size = size
            self.sha256 = sha256
        }
    }
}
