// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PageDownloads
public import PagePrompts

/// The decisions of the app about requests of pages; see `Container.pageDelegate`.
///
/// Each method has a default implementation that returns the safe decision. The safe decision also applies if the
/// method throws, exceeds its time limit (``/PagePrompts/PageRequestOptions``), or is not finished when the page
/// closes. In the last two cases the task of the method is cancelled.
///
/// Isolation: the main actor.
@MainActor
public protocol PageDelegate: PagePromptDelegate, PageDownloadDelegate {}

/// A request of a page to the app.
public enum PageRequest: Sendable, Hashable {
    /// A request to open a URL that the page itself does not show.
    case link(LinkRequest)
    /// A dialog.
    case dialog(DialogRequest)
    /// A request to use devices or data of the user.
    case permission(PermissionRequest)
    /// A file to be saved.
    case download(DownloadRequest)
}

/// A decision about a request of a page.
public enum PageAnswer: Sendable, Hashable {
    /// The decision about a ``/PagePrompts/LinkRequest``.
    case link(LinkDecision)
    /// The decision about a ``/PagePrompts/DialogRequest``.
    case dialog(DialogDecision)
    /// The decision about a ``/PagePrompts/PermissionRequest``.
    case permission(PermissionDecision)
    /// The decision about a ``/PageDownloads/DownloadRequest``.
    case download(DownloadDecision)
}

/// A ``PageRequest`` with its result.
public struct PageRequestRecord: Sendable, Hashable {
    /// The request of the page.
    public let request: PageRequest
    /// The decision that was applied.
    public let answer: PageAnswer
    /// The reason for the decision.
    public let ending: PageRequestEnding
}

extension PageRequestRecord {
    init(_ outcome: PagePromptOutcome, _ ending: PageRequestEnding) {
        switch outcome {
        case .link(let request, let decision):
            self.init(request: .link(request), answer: .link(decision), ending: ending)
        case .dialog(let request, let decision):
            self.init(request: .dialog(request), answer: .dialog(decision), ending: ending)
        case .permission(let request, let decision):
            self.init(request: .permission(request), answer: .permission(decision), ending: ending)
        }
    }
}
