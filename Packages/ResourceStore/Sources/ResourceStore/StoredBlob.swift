// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Where the bytes of a blob are.
///
/// To keep them readable, open the file and hold it: a sweep unlinks files and never changes them.
public struct StoredBlob: Sendable, Hashable {
    public let id: BlobID
    /// An absolute path.
    public let path: String
    /// In bytes, as the file system says.
    public let size: Int64
}
