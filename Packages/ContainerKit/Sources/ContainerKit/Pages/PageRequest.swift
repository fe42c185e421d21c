// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// What a page asked of the app.
public enum PageRequest: Sendable, Hashable {
    /// To go somewhere.
    case link(LinkRequest)
    /// To say or ask something.
    case dialog(DialogRequest)
    /// To use something.
    case permission(PermissionRequest)
    /// To save a file.
    case download(DownloadRequest)
}

/// What the app answered.
public enum PageAnswer: Sendable, Hashable {
    /// To a ``LinkRequest``.
    case link(LinkDecision)
    /// To a ``DialogRequest``.
    case dialog(DialogDecision)
    /// To a ``PermissionRequest``.
    case permission(PermissionDecision)
    /// To a ``DownloadRequest``.
    case download(DownloadDecision)
}

/// A page, or a frame of it, wants to go somewhere that is not the host's page.
public struct LinkRequest: Sendable, Hashable {
    /// Why it is asked for.
    public enum Reason: Sendable, Hashable {
        /// It is to be a window of its own: `window.open`, or `target="_blank"`.
        case newWindow
        /// Its scheme is not of the web: `tel:`, `mailto:`, an app's own. The container never loads it.
        case otherScheme
        /// The page's document would be of a host that ``PageRequestOptions/hosts`` does not name.
        case otherHost
    }

    /// The page that asks, with the real URL of the document that it shows.
    public let page: PageSession
    /// Why it is asked for.
    public let reason: Reason
    /// The real URL; of another scheme as the page wrote it, which is not to be trusted.
    public let url: String
    /// Whether somebody has just touched the page; false where the engine does not say, as of documents.
    public let isUserGesture: Bool
}

/// What comes of a ``LinkRequest``.
public enum LinkDecision: Sendable, Hashable {
    /// Nothing.
    case cancel
    /// The page's view loads it, and its host counts as one inside for this page. Another scheme is not loaded.
    case openHere
    /// The host has opened it itself, by `Container.open(_:)` or by the system.
    case handled
}

/// A page shows a dialog.
public struct DialogRequest: Sendable, Hashable {
    /// The page that asks, with the real URL of the document that it shows. A frame's dialog comes in its name, too.
    public let page: PageSession
    /// Which one.
    public let kind: DialogKind
    /// What it says, cut to 10,000 characters; of a page that is left nothing of use.
    public let message: String

    /// What is taken where nobody answers.
    public var safeDecision: DialogDecision { kind == .leave ? .accept() : .cancel }
}

/// What comes of a ``DialogRequest``.
public enum DialogDecision: Sendable, Hashable {
    /// It was closed: `false`, `null`, or the page stays.
    case cancel
    /// It was accepted, a prompt with a text; without one it gets its default text.
    case accept(text: String? = nil)
}

/// A page wants to use something that is somebody's.
public struct PermissionRequest: Sendable, Hashable {
    /// The page that asks, with the real URL of the document that it shows. A frame asks in its name, too.
    public let page: PageSession
    /// What it wants to use: all of it, or nothing.
    public let permissions: Set<PagePermission>
    /// The domain of the frame that asks, where the engine says so: for the access to storage.
    public let requester: String?
}

/// What comes of a ``PermissionRequest``.
public enum PermissionDecision: Sendable, Hashable {
    /// The page may not.
    case deny
    /// The page may, for as long as the engine remembers it.
    case allow
}

/// A ``PageRequest``, and what came of it.
public struct PageRequestRecord: Sendable, Hashable {
    /// Why there is this answer. Kinds are added over time: keep a default when switching.
    public enum Ending: Sendable, Hashable {
        /// The host gave it.
        case answered
        /// There is no delegate.
        case noDelegate
        /// The host was not asked: as many requests of the page as may be were waiting.
        case tooMany
        /// The host was not asked: it is a link to another scheme that nobody touched, or a URL that is never opened.
        case ruledOut
        /// The host did not answer in time.
        case timedOut
        /// The host threw an error.
        case failed(String)
        /// The page was closed, or came to another document, or its process ended.
        case pageGone
        /// The app itself took it back: it cancelled the download, signed an account out, or ended the container.
        case withdrawn
    }

    /// What was asked.
    public let request: PageRequest
    /// What came of it.
    public let answer: PageAnswer
    /// Why.
    public let ending: Ending
}
