// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import ContentDigest

/// One archive to be fetched.
public struct PackageDownload: Sendable, Hashable {
    /// An absolute `https` or `http` URL.
    public var url: String
    /// The bytes of the archive, where the manifest tells.
    public var size: Int64?
    /// Its digest, where the manifest tells.
    public var sha256: SHA256Digest?

    public init(url: String, size: Int64? = nil, sha256: SHA256Digest? = nil) {
        self.url = url
        self.size = size
        self.sha256 = sha256
    }
}

/// How far a download has come, in bytes.
public struct PackageDownloadProgress: Sendable, Hashable {
    /// What is there, what an earlier process left among it. Falls where a download has to begin anew.
    public var received: Int64
    /// The whole, where it is known.
    public var total: Int64?
}

/// An archive that is whole on disk.
public struct DownloadedArchive: Sendable, Hashable {
    /// Under `downloads/`; stays until it is discarded.
    public var path: String
    public var size: Int64
    /// What it took.
    public var traffic: DeliveryTraffic
}

/// What went over the network for a delivery.
public struct DeliveryTraffic: Sendable, Hashable {
    /// Requests sent, redirects not counted.
    public var requests = 0
    /// Bytes of bodies received.
    public var bytes: Int64 = 0

    public init() {}

    static func += (left: inout Self, right: Self) {
        left.requests += right.requests
        left.bytes += right.bytes
    }
}
