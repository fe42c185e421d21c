// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// How far an install has come. The bytes are those of the unpacked files.
public struct InstallProgress: Sendable, Hashable {
    public var completedFiles: Int
    public var totalFiles: Int
    public var completedBytes: Int64
    public var totalBytes: Int64
}
