// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The loads of a view.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewLoading: AnyObject {
    /// Starts to load a URL. The result arrives as signals; an earlier load that is under way sends no more of them.
    func load(_ url: String)

    /// Stops the load under way. A navigation that has not committed ends as failed.
    func stopLoading()

    /// Reloads the document of the view by GET, in place of its entry in the history, and in a new process if its own has
    /// ended. An adapter whose engine has no such call loads the URL.
    /// - Parameter url: the URL to load if the view has no document.
    func reload(_ url: String)

    /// Shows a page of the app in place of the one that belongs at a URL, as a document of an opaque origin. A reload and the
    /// history lead to the URL. An adapter whose engine has no such call loads a `data:` URL.
    func showErrorPage(_ html: String, for url: String)

    /// The last load that ``load(_:)``, ``reload(_:)`` or ``showErrorPage(_:for:)`` started; `nil` before the first, and if
    /// the adapter does not record loads.
    var lastLoad: LoadToken? { get }

    /// A Boolean value that indicates whether the current document was requested with a method other than GET; false if the
    /// engine does not say.
    var isPosted: Bool { get }

    /// Returns a Boolean value that indicates whether the navigation under way to a URL uses a method other than GET; false
    /// if the engine does not say.
    func isPosting(to url: String) -> Bool

    /// Sets the user agent from the next load on; that of a new view is the engine's own.
    func setUserAgent(_ agent: UserAgent)
}

/// A load that a view was asked for.
public struct LoadToken: Sendable, Hashable {
    /// Counts the loads of the view.
    public let number: UInt64
    /// The URL, as the engine names it.
    public let url: String

    /// Makes the load that comes after another one.
    public init(of url: String, after other: LoadToken?) {
        number = (other?.number ?? 0) + 1
        self.url = url
    }
}
