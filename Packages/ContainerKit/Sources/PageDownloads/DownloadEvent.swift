// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

package import ResourceLoading

/// A change of a download that the app has accepted, or the refusal of a download that the app was not asked about.
public struct DownloadEvent: Sendable, Hashable {
    /// The state of a download. Cases are added over time; include a `default` when switching.
    public enum Stage: Sendable, Hashable {
        /// The app chose a destination, and the bytes are requested.
        case began
        /// The complete file is on disk at this path, readable by its owner only (mode 0600).
        case saved(path: String, bytes: Int64)
        /// The download failed. No part of the file remains.
        case failed(DownloadError)
    }

    /// The request of the page.
    public let request: DownloadRequest
    /// The new state.
    public let stage: Stage
}

/// The progress of a download, in bytes.
public struct DownloadProgress: Sendable, Hashable {
    /// The number of bytes that have arrived.
    public var received: Int64
    /// The number of bytes of the complete file; `nil` if unknown.
    public var expected: Int64?
}

/// A report about the downloads of a container.
package enum PageDownloadReport: Sendable {
    /// A download changed its state.
    case download(DownloadEvent)
    /// A request that the container made itself for a file has ended.
    case request(RequestRecord)
}
