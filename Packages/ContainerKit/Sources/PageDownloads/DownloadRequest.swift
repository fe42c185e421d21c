// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine
internal import WebSyntax

/// The delegate that decides about files that pages save.
///
/// The method has a default that returns the safe decision. The safe decision also applies if the method throws, if it
/// does not return within `PageRequestOptions.limit`, or if the page ends first. The task of the method is then
/// cancelled.
///
/// Isolation: the main actor.
@MainActor
public protocol PageDownloadDelegate: AnyObject {
    /// Returns the decision about a file that a page saves. The server of the file may wait until then.
    func download(_ request: DownloadRequest) async throws -> DownloadDecision
}

extension PageDownloadDelegate {
    /// Returns the safe decision, ``DownloadDecision/cancel``.
    public func download(_ request: DownloadRequest) async throws -> DownloadDecision { .cancel }
}

/// The identity of a download in its container.
public struct DownloadID: Sendable, Hashable {
    /// A number that counts up from 1 in one container.
    public let rawValue: UInt64
}

/// A request of a page to save a file, before the bytes of the file arrive.
public struct DownloadRequest: Sendable, Hashable {
    /// The identity for `Container.downloadProgress(of:)` and `Container.cancelDownload(_:)`.
    public let id: DownloadID
    /// The page that requests the download, with the real URL of its current document. Downloads of frames belong to
    /// their page.
    public let page: PageSession
    /// The real URL of the file; for `blob:` and `data:` URLs the first 1,024 characters.
    public let url: String
    /// A safe file name, from the `Content-Disposition` of the response (RFC 6266), the page, or the last path
    /// segment of the URL. It has no folders, 1 to 200 bytes, no control characters and no leading dots.
    public let suggestedName: String
    /// The media type of the response, in lower case and without parameters; `nil` if there is none.
    public let mediaType: String?
    /// The number of bytes of the file; `nil` if unknown.
    public let expectedBytes: Int64?
    /// A Boolean value that indicates whether a user gesture caused the download; `false` if the engine does not
    /// report it.
    public let isUserGesture: Bool
}

/// The decision about a ``DownloadRequest``.
public enum DownloadDecision: Sendable, Hashable {
    /// Saves no file.
    case cancel
    /// Saves the file under its suggested name in an existing folder. If a file of that name exists, the new file
    /// gets another name: `name (1).zip`.
    /// - Parameter folder: an absolute path.
    case save(folder: String)
    /// Saves the file at a path in an existing folder. If a file exists at the path and `overwrites` is `true`, the
    /// complete new file replaces it. If `overwrites` is `false`, the new file gets another name.
    /// - Parameter path: an absolute path.
    case saveAs(path: String, overwrites: Bool = false)
}

extension DownloadRequest {
    /// The maximum length of a URL whose scheme is not `http` or `https`, in characters.
    private static let urlLimit = 1_024

    init(_ head: DownloadHead, id: DownloadID, _ page: PageSession) {
        let isOfWeb = head.url.hasPrefix("http:") || head.url.hasPrefix("https:")
        let type = head.mediaType.map { MediaType.essence(of: $0) }
        self.init(
            id: id, page: page, url: isOfWeb ? head.url : String(head.url.prefix(Self.urlLimit)),
            suggestedName: SafeFileName.make(head.name ?? (isOfWeb ? Self.lastName(of: head.url) : nil)),
            mediaType: type.flatMap { $0.isEmpty ? nil : $0 }, expectedBytes: head.length,
            isUserGesture: head.isUserGesture)
    }

    /// Returns the last path segment of a URL, or `nil` if it is empty.
    private static func lastName(of url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
        // The first three components are the scheme, an empty component and the host.
        guard path.count > 3, let last = path.last, !last.isEmpty else { return nil }
        return PercentEncoding.decodeText(last) ?? String(last)
    }
}
