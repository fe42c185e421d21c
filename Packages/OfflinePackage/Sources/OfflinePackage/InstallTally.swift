// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import PackageFormat
internal import ResourceStore

/// Counts the files of an install that several threads bring.
///
/// Isolation: any. A report is made under the mutex, so that reports come one after another and never go back; nothing
/// else takes it.
final class InstallTally: Sendable {
    private let report: (@Sendable (InstallProgress) -> Void)?
    private let progress: Mutex<InstallProgress>

    /// Begins with the files that the store has.
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

/// How far an install has come. The bytes are those of the unpacked files.
public struct InstallProgress: Sendable, Hashable {
    /// Files that are verified and stored.
    public var completedFiles: Int
    /// Files of the package.
    public var totalFiles: Int
    /// Bytes that are verified and stored, as they are in the files.
    public var completedBytes: Int64
    /// Bytes of the package, unpacked.
    public var totalBytes: Int64
}
