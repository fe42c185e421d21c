// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// Names a download while its container lives.
public struct DownloadID: Sendable, Hashable {
    /// Counts up from 1 in one container.
    public let rawValue: UInt64
}

/// A page wants to save a file, whose bytes are about to come.
public struct DownloadRequest: Sendable, Hashable {
    /// Names the download: see `Container.downloadProgress(of:)` and `Container.cancelDownload(_:)`.
    public let id: DownloadID
    /// The page that asks, with the real URL of the document that it shows. A frame saves in its name, too.
    public let page: PageSession
    /// The real URL of what is saved; of `blob:` and `data:` the first 1,024 characters.
    public let url: String
    /// What it might be called: the server's word (RFC 6266), or the page's, or the end of the URL, made safe. It is one name
    /// without folders, of 1 to 200 bytes, without control characters and dots at its beginning.
    public let suggestedName: String
    /// The media type as the server says, in lower case and without parameters; `nil` where it says none.
    public let mediaType: String?
    /// How many bytes will come; `nil` where that is not known.
    public let expectedBytes: Int64?
    /// Whether somebody has just touched the page; false where the engine does not say.
    public let isUserGesture: Bool
}

/// What comes of a ``DownloadRequest``.
public enum DownloadDecision: Sendable, Hashable {
    /// Nothing is saved.
    case cancel
    /// It is saved in a folder, which exists, under the suggested name; where there is a file of that name, under another:
    /// `name (1).zip`.
    /// - Parameter folder: an absolute path.
    case save(folder: String)
    /// It is saved as this file, in a folder that exists; where there is one already, under another name, unless `overwrites`
    /// says that the new one, once it is whole, takes its place.
    /// - Parameter path: an absolute path.
    case saveAs(path: String, overwrites: Bool = false)
}
