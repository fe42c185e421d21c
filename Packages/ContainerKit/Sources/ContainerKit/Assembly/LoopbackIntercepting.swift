// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import PackageUpdates
internal import PageRecovery
internal import ResourceLoading
internal import WebEngine

/// The translation of URLs and cookies between pages and the engine in a loopback mode.
///
/// Isolation: the main actor.
@MainActor
protocol LoopbackTranslating: AnyObject {
    /// The mode, `loopbackProxy` or `loopbackServer`.
    var mode: InterceptionMode { get }

    /// Prepares the local server for a page.
    /// - Parameter url: the page's real URL.
    /// - Returns: the page's URL in the engine.
    /// - Throws: ``ContainerError`` with code `server`.
    func openAtServer(_ url: String) async throws -> String

    /// Waits until no proof of the proxy is running. A page calls it immediately before its load.
    func waitForProof() async

    /// Returns the engine URL for a real URL of a page in this mode, or `nil` if the local server does not listen.
    func place(of url: String) -> String?

    /// Returns the real URL for a URL at the local server, or `nil` for other URLs.
    func realURL(of place: String) -> String?

    /// Returns a cookie of the engine with the real host of the page as its domain. Returns `nil` for the access token
    /// and for cookies of other sites of the local server.
    func cookie(_ cookie: EngineCookie, ofPageAt url: String) -> EngineCookie?

    /// Returns a cookie of the engine with the real host of its site as its domain, or `nil` for the access token of
    /// the local server, which belongs to no user.
    func realCookie(_ cookie: EngineCookie) -> EngineCookie?
}

/// The component of interception over loopback, as the other components use it. It exists with the package trait
/// `Loopback` only, which brings SwiftNIO.
///
/// Isolation: the main actor.
@MainActor
protocol LoopbackIntercepting: ContainerComponent, ViewPreconnecting {
    var translation: any LoopbackTranslating { get }

    /// Connects the component to features that are created later.
    func connect(recovery: BlankPageMonitor?, engineCaches: EngineCacheInvalidator?)

    /// Records the current document of a page, to attribute requests to the page.
    func record(_ page: PageReference)

    /// Returns a Boolean value that indicates whether a pending request may belong to a page.
    func isBusy(_ page: PageID) -> Bool

    /// Prepares a page for a response that redirects it from its custom-scheme URL to a real URL.
    func prepare(_ page: PageSession?, for response: ResourceResponse) async
}
