// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine
internal import WebSyntax

/// The decisions of the app about files that pages save.
///
/// The method has a default that returns the safe decision. The safe decision also applies if the method throws, if it
/// does not return within the limit of requests of pages, or if the page ends first; then the task of the method is
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
    /// The page that asks, with the real URL of the document that it shows. Downloads of frames belong to their page.
    public let page: PageSession
    /// The real URL of the file; of `blob:` and `data:` URLs the first 1,024 characters.
    public let url: String
    /// A safe file name, from the server (RFC 6266), the page, or the end of the URL. It is one name without folders,
    /// of 1 to 200 bytes, without control characters and leading dots.
    public let suggestedName: String
    /// The media type that the server names, in lower case and without parameters; `nil` if it names none.
    public let mediaType: String?
    /// The number of bytes of the file; `nil` if it is not known.
    public let expectedBytes: Int64?
    /// A Boolean value that indicates whether a user gesture caused the download; false if the engine does not say.
    public let isUserGesture: Bool
}

/// The decision about a ``DownloadRequest``.
public enum DownloadDecision: Sendable, Hashable {
    /// Saves nothing.
    case cancel
    /// Saves the file under its suggested name in a folder that exists. If there is a file of that name, the new file
    /// gets another name: `name (1).zip`.
    /// - Parameter folder: an absolute path.
    case save(folder: String)
    /// Saves the file at a path in a folder that exists. If there is a file at the path, the new file gets another
    /// name, or replaces it once it is whole if `overwrites` is true.
    /// - Parameter path: an absolute path.
    case saveAs(path: String, overwrites: Bool = false)
}

extension DownloadRequest {
    /// The maximum length of a URL outside the web, in characters.
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

    /// Returns the last segment of the path of a URL, or `nil` if it is empty.
    private static func lastName(of url: String) -> String? {
        let path = url.prefix { $0 != "?" && $0 != "#" }.split(separator: "/", omittingEmptySubsequences: false)
        // The first three parts are the scheme, an empty part and the host.
        guard path.count > 3, let last = path.last, !last.isEmpty else { return nil }
        return PercentEncoding.decodeText(last) ?? String(last)
    }
}
