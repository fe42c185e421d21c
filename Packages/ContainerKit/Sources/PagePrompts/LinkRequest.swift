// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine
internal import WebSyntax

/// A request of a page, or of a frame in it, for a URL that the page itself does not show.
public struct LinkRequest: Sendable, Hashable {
    /// The kind of the link.
    public enum Reason: Sendable, Hashable {
        /// A link that opens a new window: `window.open` or `target="_blank"`.
        case newWindow
        /// A link whose scheme is not `http` or `https`, such as `tel:`, `mailto:` or a scheme of an app. The
        /// container never loads it.
        case otherScheme
        /// A document of a host that ``PageRequestOptions/hosts`` does not contain.
        case otherHost
    }

    /// The page of the link, with the real URL of its current document.
    public let page: PageSession
    /// The kind of the link.
    public let reason: Reason
    /// The real URL. A URL of another scheme is text of the page and untrusted.
    public let url: String
    /// A Boolean value that indicates whether a user gesture caused the link; `false` if the engine does not report
    /// it, as for documents.
    public let isUserGesture: Bool
}

/// The decision about a ``LinkRequest``.
public enum LinkDecision: Sendable, Hashable {
    /// Opens nothing.
    case cancel
    /// Loads the URL in the page's view, and allows its host for this page. A URL of another scheme is not loaded.
    case openHere
    /// Opens nothing, because the app has opened the URL itself, with `Container.open(_:)` or through the system.
    case handled
}

extension LinkRequest: PageQuestion {
    package var safeAnswer: LinkDecision { .cancel }

    package var holdsDocument: Bool { reason == .otherHost }

    package func put(to delegate: any PagePromptDelegate) async throws -> LinkDecision {
        try await delegate.link(self)
    }
}

extension LinkRequest {
    /// The maximum length of a URL, in bytes of UTF-8.
    static let lengthLimit = 16_384
    /// The schemes of documents that the engine creates itself, and of URLs that lead to files or run code in a page.
    private static let internalSchemes: Set<String> = [
        "about", "blob", "data", "file", "filesystem", "javascript", "resource", "view-source", "webkit",
    ]

    /// Returns the scheme of a URL in lower case, or an empty string.
    static func scheme(of url: String) -> String {
        url.contains(":") ? url.prefix { $0 != ":" }.asciiLowercased : ""
    }

    /// Returns a Boolean value that indicates whether the app may open a URL whose scheme is not `http` or `https`.
    static func canLeave(_ url: String) -> Bool {
        let scheme = scheme(of: url)
        return !internalSchemes.contains(scheme) && URLScheme.isValid(scheme.utf8)
    }
}
