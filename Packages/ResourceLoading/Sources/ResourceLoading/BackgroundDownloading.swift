// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// A downloader of whole files that may continue while the app is suspended or not running.
///
/// The system decides when it downloads, which may take days. It uses no network that the user wants to spare. The
/// bytes are not verified.
///
/// Isolation: any; all members may be called concurrently.
public protocol BackgroundDownloading: Sendable {
    /// Downloads a file. A download with the same key that is running, or complete, is used instead of a new one.
    ///
    /// Cancelling the calling task does not end the download.
    /// - Parameters:
    ///   - download: the file to download.
    ///   - path: the path of the downloaded file, in an existing folder. An existing file is replaced. The file is
    ///     complete when the method returns, and does not exist if it throws.
    /// - Throws: `CancellationError`, or ``ResourceError`` with code `cancelled` after ``cancel(_:)``, and with another
    ///   code if the download failed.
    func download(_ download: BackgroundDownload, to path: String) async throws

    /// Ends a download and removes its bytes, if it exists.
    /// - Parameter key: the key of the download.
    func cancel(_ key: String) async
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
