// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat
internal import ResourceStore

/// A thread-safe counter of the files of an install.
///
/// Isolation: any. `report` is called under the mutex, so that the counts are reported in order. The mutex has no other
/// use.
final class InstallTally: Sendable {
    private let report: (@Sendable (InstallProgress) -> Void)?
    private let progress: Mutex<InstallProgress>

    /// Creates a counter that starts with the files that are already in the store.
    init(of draft: PackageDraft, report: (@Sendable (InstallProgress) -> Void)?) {
        self.report = report
        let bytes = draft.entries.reduce(0) { $0 + $1.size }
        progress = Mutex(
            InstallProgress(
                completedFiles: draft.entries.count - draft.missing.count, totalFiles: draft.entries.count,
                completedBytes: bytes - draft.missingBytes, totalBytes: bytes))
    }

    func add(_ file: PackageManifest.File) {
        progress.withLock { progress in
            progress.completedFiles += 1
            progress.completedBytes += file.size
            report?(progress)
        }
    }
}

/// The progress of an install. Byte counts refer to the uncompressed files.
public struct InstallProgress: Sendable, Hashable {
    /// The number of files that are verified and stored.
    public var completedFiles: Int
    /// The number of files of the package.
    public var totalFiles: Int
    /// The number of bytes that are verified and stored.
    public var completedBytes: Int64
    /// The number of uncompressed bytes of the package.
    public var totalBytes: Int64
}
