// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
package import ContentDigest

/// One archive to be fetched.
package struct PackageDownload: Sendable, Hashable {
    /// An absolute `https` or `http` URL.
    package var url: String
    /// The bytes of the archive, where the manifest tells.
    package var size: Int64?
    /// Its digest, where the manifest tells.
    package var sha256: SHA256Digest?

    package init(url: String, size: Int64? = nil, sha256: SHA256Digest? = nil) {
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
package struct DownloadedArchive: Sendable, Hashable {
    /// Under `downloads/`; stays until it is discarded.
    package var path: String
    package var size: Int64
    /// What it took.
    package var traffic: DeliveryTraffic
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

/// Thins a download's progress out, so that it does not push other events out of a slow listener's buffer: about a
/// hundred steps for a download whose size is known, one for each megabyte of another, never one for less than 64 KB.
///
/// Isolation: any.
final class ProgressSteps: Sendable {
    private static let leastBytes: Int64 = 65_536
    private static let bytesWithoutTotal: Int64 = 1_048_576

    private let last = Mutex<Int64?>(nil)

    /// Returns a Boolean value that indicates whether a step is reported: the first one, the last one if the size is
    /// known, one that is far enough from the last report, and each one that falls back.
    func shouldReport(_ progress: PackageDownloadProgress) -> Bool {
        last.withLock { last in
            if let reported = last, progress.received >= reported, progress.received != progress.total {
                let step = max(Self.leastBytes, progress.total.map { $0 / 100 } ?? Self.bytesWithoutTotal)
                guard progress.received - reported >= step else { return false }
            }
            last = progress.received
            return true
        }
    }
}

/// Counts what goes over the network, also of attempts that end with an error.
final class TrafficMeter: Sendable {
    private let state = Mutex(DeliveryTraffic())

    var traffic: DeliveryTraffic { state.withLock { $0 } }

    func countRequest() {
        state.withLock { $0.requests += 1 }
    }

    func count(_ bytes: Int) {
        state.withLock { $0.bytes += Int64(bytes) }
    }
}
