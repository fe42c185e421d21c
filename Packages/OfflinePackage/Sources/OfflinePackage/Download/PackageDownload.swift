// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContentDigest

/// An archive to download.
struct PackageDownload: Sendable, Hashable {
    /// The absolute `https` or `http` URL of the archive.
    var url: String
    /// The number of bytes of the archive, or `nil` if the manifest does not declare it.
    var size: Int64?
    /// The digest of the archive, or `nil` if the manifest does not declare it.
    var sha256: SHA256Digest?
}

/// The progress of a download, in bytes.
public struct PackageDownloadProgress: Sendable, Hashable {
    /// The number of bytes that are on disk, including those of earlier processes. It decreases if a download
    /// restarts.
    public var received: Int64
    /// The number of bytes of the archive, or `nil` if it is not known.
    public var total: Int64?
}

/// A complete archive on disk.
struct DownloadedArchive: Sendable, Hashable {
    /// The path of the archive, which exists until ``PackageDownloader/discard(_:)`` removes it.
    var path: String
    var size: Int64
    /// The network traffic of the download.
    var traffic: DeliveryTraffic
}

/// The network traffic of a delivery.
public struct DeliveryTraffic: Sendable, Hashable {
    /// The number of requests, without redirects.
    public var requests = 0
    /// The number of received bytes of bodies.
    public var bytes: Int64 = 0

    /// Creates an empty value.
    public init() {}

    static func += (left: inout Self, right: Self) {
        left.requests += right.requests
        left.bytes += right.bytes
    }
}

/// A filter that reduces progress events, so that they do not displace other events of a slow subscriber.
///
/// For a download of known size it passes about a hundred events, otherwise one for each MiB. Between two events at
/// least 64 KiB arrive.
///
/// Isolation: any.
final class ProgressSteps: Sendable {
    private static let leastBytes: Int64 = 65_536
    private static let bytesWithoutTotal: Int64 = 1_048_576

    private let last = Mutex<Int64?>(nil)

    /// Returns a Boolean value that indicates whether a progress value is reported.
    ///
    /// These values are reported: the first, the complete size, each decrease, and each increase by a full step since
    /// the last report.
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

/// A counter of network traffic, including that of failed attempts.
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
