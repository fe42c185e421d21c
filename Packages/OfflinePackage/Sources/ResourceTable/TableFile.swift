// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest
public import ResourceLoading

/// A stored file.
public struct TableFile: Sendable {
    /// The MD5 that it was put with.
    public var md5: MD5Digest
    /// Its bytes, in memory or on disk; their number is known.
    public var body: ResourceBody

    public init(md5: MD5Digest, body: ResourceBody) {
        self.md5 = md5
        self.body = body
    }
}
