// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

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
