// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// Something that happened to a download that the host wanted, or one that could not be offered to it.
public struct DownloadEvent: Sendable, Hashable {
    /// What happened. Kinds are added over time: keep a default when switching.
    public enum Stage: Sendable, Hashable {
        /// The host said where, and the bytes are asked for.
        case began
        /// The whole file is on disk, at this path, readable by its owner alone (mode 0600).
        case saved(path: String, bytes: Int64)
        /// Nothing is left of it.
        case failed(DownloadError)
    }

    /// What is saved.
    public let request: DownloadRequest
    /// What happened to it.
    public let stage: Stage
}

/// How far a download is.
public struct DownloadProgress: Sendable, Hashable {
    /// Bytes that are there.
    public var received: Int64
    /// Bytes that there will be; `nil` where that is not known.
    public var expected: Int64?
}

/// What became of the files that pages wanted to save.
public struct DownloadCounters: Sendable, Hashable {
    /// The host was asked.
    public var asked = 0
    /// Files that are on disk.
    public var saved = 0
    /// Their bytes.
    public var savedBytes: Int64 = 0
    /// Downloads that were cancelled after they had begun: by the host, by a sign-out or the container's end.
    public var cancelled = 0
    /// Those that failed for another reason.
    public var failed = 0
    /// Those that were not offered to the host: too many were under way, or an account was being signed out.
    public var refused = 0
}
