// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The downloads that pages of a view start.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewDownloads: AnyObject {
    /// Receives each download. There is one receiver; `nil` at first, and then nothing is saved.
    var onDownload: (@MainActor (ViewDownload) -> Void)? { get set }

    /// Ends the downloads that ``onDownload`` has not received yet because no response to them has begun.
    func dropPendingDownloads()

    /// Returns a Boolean value that indicates whether the engine shows documents of a media type; others can only be saved.
    /// - Parameter mediaType: in lower case, without parameters.
    func canShow(_ mediaType: String) -> Bool
}

/// A file that the page of a view saves.
public enum ViewDownload: Sendable {
    /// The engine makes it itself: the head of the answer is there, and the bytes wait for a place.
    case engine(any EngineDownload)
    /// It has a scheme of the app's, from which the engine saves nothing: its URL as the engine names it.
    case named(url: String, isUserGesture: Bool)
}

/// A download that an engine makes. It waits until it is saved or cancelled, one of which is to be called.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineDownload: AnyObject, Sendable {
    /// What the answer's head says.
    var head: EngineDownloadHead { get }

    /// Has the bytes written into a file that does not exist yet, in a folder that does and in which the engine may make
    /// other files. May be called once.
    /// - Parameters:
    ///   - path: the absolute path of the file.
    ///   - receive: receives what comes of it; nothing after an end.
    func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void)

    /// Ends it. Where it was being saved, its end is told when the engine writes no more.
    func cancel()
}

/// What is known of a download before its bytes are.
public struct EngineDownloadHead: Sendable, Hashable {
    /// As the engine names it.
    public var url: String
    /// What the server or the page calls it: not to be trusted.
    public var suggestedName: String?
    /// The media type, where there is one.
    public var mediaType: String?
    /// How many bytes will come, where that is known.
    public var length: Int64?
    /// The HTTP status, where there is one.
    public var status: Int?
    /// Whether somebody has just touched the page.
    public var isUserGesture: Bool

    /// Makes a head, as an adapter does for each download.
    public init(
        url: String, suggestedName: String?, mediaType: String?, length: Int64?, status: Int?, isUserGesture: Bool
    ) {
        self.url = url
        self.suggestedName = suggestedName
        self.mediaType = mediaType
        self.length = length
        self.status = status
        self.isUserGesture = isUserGesture
    }
}

/// How a download of the engine goes.
public enum EngineDownloadSignal: Sendable {
    /// So many bytes are there, all together.
    case received(Int64)
    /// The file is whole. The end.
    case finished
    /// It broke off, or was cancelled; with code `storage` where the bytes could not be written, with the system's words
    /// for it. The end.
    case failed(EngineError)
}
