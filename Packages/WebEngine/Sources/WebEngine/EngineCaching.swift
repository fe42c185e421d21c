// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The engine's own HTTP cache, service workers and `caches`.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineCaching: AnyObject {
    /// Removes the contents of the engine's own HTTP cache, for all sites. Other stored data of pages is not affected.
    /// - Throws: ``EngineError`` with code `storage` or `timedOut`.
    func clearHTTPCache() async throws

    /// Removes files from the engine's caches, so that pages that open after this call load them again.
    ///
    /// The call removes entries of the HTTP cache, service workers whose script or scope is under the URLs, and entries
    /// of `caches` under the URLs. The engine may remove more of its HTTP cache. Cookies, databases and other entries
    /// of `caches` are not affected.
    ///
    /// Close all pages that may request the files before the call.
    /// - Parameters:
    ///   - urls: the absolute URLs of the folders of the files; each ends in a slash.
    ///   - origins: the root URLs of the origins whose service workers and `caches` are searched.
    ///   - lastGiven: the last time at which the engine may have received one of the files; `nil` if it has received
    ///     none in this process. The call waits until the engine has written a response of that time to its HTTP cache.
    /// - Throws: ``EngineError``. Some of the files may be removed already.
    func removeFiles(
        under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
    ) async throws
}

/// A kind of state of a page or its host that remains in a view.
public struct ResidualState: Sendable, Hashable, CustomStringConvertible {
    /// The kind of state: lower-case words joined by hyphens.
    public let description: String

    /// Creates a kind of state that is specific to an engine.
    public init(_ description: String) {
        self.description = description
    }

    /// Entries of the back-forward list.
    public static let history = ResidualState("history")
    /// A document that is not blank, a window name, an opener, or a load in progress.
    public static let document = ResidualState("document")
    /// The sessionStorage of the view's pages.
    public static let storage = ResidualState("storage")
    /// Scripts that run in each page.
    public static let scripts = ResidualState("scripts")
    /// Handlers of script messages.
    public static let handlers = ResidualState("handlers")
    /// Receivers of the view's signals or prompts.
    public static let delegates = ResidualState("delegates")
    /// A zoom level other than the engine's default.
    public static let zoom = ResidualState("zoom")
    /// A user agent other than that of the view at its creation.
    public static let userAgent = ResidualState("user-agent")
    /// Audio playback, muted audio, or capture of a camera, a microphone or a display.
    public static let media = ResidualState("media")
}
