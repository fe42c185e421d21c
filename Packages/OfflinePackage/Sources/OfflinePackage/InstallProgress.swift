// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
