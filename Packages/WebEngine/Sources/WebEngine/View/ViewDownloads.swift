// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The downloads that pages of a view start.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewDownloads: AnyObject {
    /// A closure that receives each download. It is `nil` initially; downloads are then not saved.
    var onDownload: (@MainActor (ViewDownload) -> Void)? { get set }

    /// Ends the downloads whose responses have not begun, and which ``onDownload`` has therefore not received.
    func dropPendingDownloads()

    /// Returns a Boolean value that indicates whether the engine can display documents of a media type. Other documents
    /// can only be saved.
    /// - Parameter mediaType: the media type in lower case, without parameters.
    func canShow(_ mediaType: String) -> Bool
}

/// A download that a page starts.
public enum ViewDownload: Sendable {
    /// A download of the engine. The response head has arrived, and the bytes wait for a destination.
    case engine(any EngineDownload)
    /// A download with a custom scheme of the app, which the engine cannot save. The URL is in the engine's form.
    case named(url: String, isUserGesture: Bool)
}

/// A download that an engine performs. The receiver must call ``save(to:_:)`` or ``cancel()``; until then it waits.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineDownload: AnyObject, Sendable {
    /// The head of the response.
    var head: EngineDownloadHead { get }

    /// Writes the bytes to a new file. Call it at most once.
    ///
    /// The folder must exist, and the engine may create other files in it.
    /// - Parameters:
    ///   - path: the absolute path of the file, which must not exist.
    ///   - receive: a closure that receives the signals of the download; none after ``EngineDownloadSignal/finished``
    ///     or ``EngineDownloadSignal/failed(_:)``.
    func save(to path: String, _ receive: @escaping @MainActor (EngineDownloadSignal) -> Void)

    /// Cancels the download. A download that is being saved reports its end when the engine has stopped writing.
    func cancel()
}

/// The properties of a download that are known before its bytes arrive.
public struct EngineDownloadHead: Sendable, Hashable {
    /// The URL in the engine's form.
    public var url: String
    /// The file name that the server or the page suggests. Do not trust it.
    public var suggestedName: String?
    /// The media type; `nil` if unknown.
    public var mediaType: String?
    /// The length in bytes; `nil` if unknown.
    public var length: Int64?
    /// The HTTP status; `nil` if there is none.
    public var status: Int?
    /// A Boolean value that indicates whether a user gesture caused the download.
    public var isUserGesture: Bool

    /// Creates a head. Adapters call this for each download.
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

/// An event of a download.
public enum EngineDownloadSignal: Sendable {
    /// The total number of bytes received so far.
    case received(Int64)
    /// The end of the download: the file is complete.
    case finished
    /// The end of the download after an error or a cancellation. The code is `storage` if the bytes could not be
    /// written; the error then contains the system's message.
    case failed(EngineError)
}
