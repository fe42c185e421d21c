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

    /// Whether this step is worth telling: the first, the last where the size is known, one that is far enough from what
    /// was told, and each that falls back.
    func shouldReport(_ progress: DownloadProgress) -> Bool {
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
