// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// The documents that the app gives to a view, in place of those that the engine would load.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewDocuments: AnyObject {
    /// Sets a closure that is asked for the document of each navigation of the view by GET to an `http` or `https` URL,
    /// for the lifetime of the view. A second call replaces the first.
    ///
    /// The old document stays until the closure has returned. The task of the closure is cancelled if the app stops or
    /// replaces the load. The result is not used if another navigation has replaced this one.
    ///
    /// An adapter whose engine does not report the frame of a navigation also asks for documents of frames. It uses
    /// them if the engine cannot load the frame.
    /// - Parameter answer: a closure that receives the navigation. If it returns `nil`, the engine loads the document
    ///   itself. If it throws an error, the navigation fails with the error like a load that fails in the network, and
    ///   the engine does not request the document.
    func answerNavigations(
        _ answer: @escaping @MainActor (EngineNavigation) async throws(EngineError) -> EngineDocument?)
}

/// A navigation of a view to a document.
public struct EngineNavigation: Sendable {
    /// The URL of the document, with its fragment.
    public var url: String
    /// The header fields of the request that the engine reports. `Cookie` is missing.
    public var fields: HTTPFields
    /// A Boolean value that indicates whether the navigation reloads the current document.
    public var isReload: Bool
    /// A Boolean value that indicates whether the app has requested the load.
    public var isOfApp: Bool
    /// A Boolean value that indicates whether the navigation may be one of a frame; `false` if the engine reports the
    /// frame.
    public var mayBeOfFrame: Bool

    /// Creates a navigation. Adapters call this for each navigation.
    public init(to url: String, fields: HTTPFields, isReload: Bool, isOfApp: Bool, mayBeOfFrame: Bool) {
        self.url = url
        self.isOfApp = isOfApp
        self.mayBeOfFrame = mayBeOfFrame
        self.fields = fields
        self.isReload = isReload
    }
}

/// A document that the app gives to a view.
public struct EngineDocument: Sendable {
    /// The real URL of the document, which determines its origin. It may differ from the URL of the navigation, because
    /// the app follows redirects.
    public var url: String
    /// The complete HTML text.
    public var html: String
    /// The script that runs in the document and its frames before their own scripts, in the page's world. It replaces
    /// the script of the previous document.
    public var script: String
    /// A closure that the adapter calls when the document takes the place of its navigation. The adapter releases it if
    /// that does not happen.
    public var onShow: @MainActor @Sendable () -> Void

    /// Creates a document.
    public init(
        url: String, html: String, script: String, onShow: @escaping @MainActor @Sendable () -> Void = {}
    ) {
        self.onShow = onShow
        self.url = url
        self.html = html
        self.script = script
    }
}
