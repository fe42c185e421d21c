// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The loads of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewLoading: AnyObject {
    /// Starts to load a URL. The result arrives as signals. An earlier load in progress sends no more signals.
    func load(_ url: String)

    /// Stops the load in progress. A load of the app that has not committed ends as failed, all others as stopped.
    func stopLoading()

    /// Reloads the document of the view by GET and replaces its history entry. If the web process has ended, a new
    /// process is started. If the engine has no call for a reload, the adapter loads the URL.
    /// - Parameter url: the URL to load if the view has no document.
    func reload(_ url: String)

    /// Shows an HTML page of the app, with an opaque origin, in place of the document of a URL. Reload and history
    /// navigation load the URL. If the engine has no equivalent call, the adapter loads a `data:` URL.
    func showErrorPage(_ html: String, for url: String)

    /// The last load that ``load(_:)``, ``reload(_:)``, ``showErrorPage(_:for:)`` or
    /// ``ViewPosting/post(_:fields:to:)`` started; `nil` before the first load, or if the adapter does not record
    /// loads.
    var lastLoad: LoadToken? { get }

    /// The loads and documents with a method other than GET.
    var posting: any ViewPosting { get }

    /// The documents that the app gives to the view; `nil` if the adapter does not support the mode `document`.
    var documents: (any ViewDocuments)? { get }

    /// Sets the user agent from the next load on. A new view has the engine's own user agent.
    func setUserAgent(_ agent: UserAgent)
}

/// The identity of a load that was requested from a view.
public struct LoadToken: Sendable, Hashable {
    /// The number of the load, counted per view from 1.
    public let number: UInt64
    /// The URL in the engine's form.
    public let url: String

    /// Creates the token of the load that follows `other`.
    public init(of url: String, after other: LoadToken?) {
        number = (other?.number ?? 0) + 1
        self.url = url
    }
}
