// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A downloader of whole files that may continue while the app is suspended or not running.
///
/// The system decides when it downloads, which may take days. It uses no network that the user wants to spare. The
/// bytes are not verified. A complete file is kept for ``takeFile(of:to:)``, also for a later process.
///
/// Isolation: any; all members may be called concurrently.
public protocol BackgroundDownloading: Sendable {
    /// Downloads a file, unless it is complete already. A running download with the same key is used instead of a new
    /// one.
    ///
    /// Cancelling the calling task does not end the download.
    /// - Throws: `CancellationError` if the task is cancelled, or ``ResourceError`` if the download failed, with code
    ///   `cancelled` after ``cancel(_:)``.
    func download(_ download: BackgroundDownload) async throws

    /// Moves a complete file.
    /// - Parameters:
    ///   - download: the download of the file.
    ///   - path: the new path of the file, in an existing folder. An existing file is replaced.
    /// - Returns: `false` if there is no complete file with the key, or it exceeds the limit.
    /// - Throws: ``ResourceError`` with code `io` if the file cannot be moved. It is kept then.
    func takeFile(of download: BackgroundDownload, to path: String) async throws -> Bool

    /// Ends downloads, including those of earlier processes, and removes their bytes.
    /// - Parameter prefix: the start of the keys of the downloads: 1 to 64 of the characters of keys.
    func cancel(_ prefix: String) async
}

/// A file to download in the background.
public struct BackgroundDownload: Sendable, Hashable {
    /// The name of the download, which identifies it after a relaunch of the app: 1 to 64 of the characters `0` to `9`
    /// and `a` to `f`.
    public var key: String
    /// The absolute URL of the file.
    public var url: String
    /// The maximum number of bytes of the file.
    public var sizeLimit: Int64

    /// Creates a download.
    public init(key: String, url: String, sizeLimit: Int64) {
        self.key = key
        self.url = url
        self.sizeLimit = sizeLimit
    }
}
