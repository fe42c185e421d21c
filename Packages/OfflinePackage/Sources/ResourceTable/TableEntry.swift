// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// One resource of a table.
public struct TableEntry: Sendable, Hashable {
    /// The page URL that it answers.
    public let url: TableURL
    /// Of this resource, not of the table. Compared for equality only.
    public let version: String
    /// The MD5 of the file's bytes.
    public let md5: MD5Digest
    /// Where the file is fetched from; also the key of the stored file.
    public let download: TableURL
    /// The value of `Content-Type`; `nil` where the table names none.
    public let contentType: String?

    public init(url: TableURL, version: String, md5: MD5Digest, download: TableURL, contentType: String?) {
        self.url = url
        self.version = version
        self.md5 = md5
        self.download = download
        self.contentType = contentType
    }
}
