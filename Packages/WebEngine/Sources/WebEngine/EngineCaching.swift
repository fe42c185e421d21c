// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The engine's own HTTP cache, service workers and `caches`.
///
/// Isolation: the main actor.
@MainActor
public protocol EngineCaching: AnyObject {
    /// Removes what the engine's own HTTP cache holds of all sites. Nothing else that pages have stored is touched.
    /// - Throws: ``EngineError`` with code `storage`, or `timedOut`.
    func clearHTTPCache() async throws

    /// Has the engine forget files, so that pages that open after this returned get them anew: what its HTTP cache holds
    /// of them, the service workers that are such a file or belong to such a folder, and what scripts have put into
    /// `caches` of there. It may drop more of its HTTP cache, and nothing else that pages have stored: no cookies, no
    /// databases, and of `caches` nothing from elsewhere.
    ///
    /// No page that may ask for these files is to be open.
    /// - Parameters:
    ///   - urls: what the files lie under: absolute URLs that end in a slash.
    ///   - origins: whose service workers and `caches` are looked through, as URLs of their roots.
    ///   - lastGiven: when the engine was last given such a file, or may have been; `nil` for not in this process. What is
    ///     younger may be on its way into the engine's HTTP cache still, which is waited for.
    /// - Throws: ``EngineError``; some of it may be forgotten by then.
    func forgetFiles(
        under urls: [String], at origins: [String], lastGiven: ContinuousClock.Instant?
    ) async throws
}

/// Something that a page or its host left in a view.
public struct ResidualState: Sendable, Hashable, CustomStringConvertible {
    /// Lower-case words joined by hyphens.
    public let description: String

    /// Names a kind of remain that an engine knows beside those here.
    public init(_ description: String) {
        self.description = description
    }

    /// Pages to go back or forward to.
    public static let history = ResidualState("history")
    /// A document that is not blank, a window's name or an opener, or a load under way.
    public static let document = ResidualState("document")
    /// What one view's pages store for themselves: sessionStorage.
    public static let storage = ResidualState("storage")
    /// Scripts that run in each page.
    public static let scripts = ResidualState("scripts")
    /// Answers to messages of pages.
    public static let handlers = ResidualState("handlers")
    /// Someone who hears of the view, or answers its dialogs.
    public static let delegates = ResidualState("delegates")
    /// Another size of the page than the engine's.
    public static let zoom = ResidualState("zoom")
    /// Another user agent than the view was made with.
    public static let userAgent = ResidualState("user-agent")
    /// Sound, silence that was asked for, a camera, a microphone or a captured screen.
    public static let media = ResidualState("media")
}
