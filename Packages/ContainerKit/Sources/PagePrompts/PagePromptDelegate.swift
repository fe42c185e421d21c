// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebEngine

/// The delegate that decides about links, dialogs and permissions of pages.
///
/// Each method has a default that returns the safe decision. The safe decision also applies if a method throws, if it
/// does not return within its time limit (``PageRequestOptions``), or if the page ends first. The task of the method
/// is then cancelled.
///
/// Isolation: the main actor.
@MainActor
public protocol PagePromptDelegate: AnyObject {
    /// Returns the decision about a new window, a link to another scheme, or a document of a host that is not
    /// allowed.
    func link(_ request: LinkRequest) async throws -> LinkDecision

    /// Returns the decision about a dialog. The scripts of the page wait until then.
    func dialog(_ request: DialogRequest) async throws -> DialogDecision

    /// Returns the decision about devices or data that the page requests to use.
    func permission(_ request: PermissionRequest) async throws -> PermissionDecision
}

extension PagePromptDelegate {
    /// Returns the safe decision, ``LinkDecision/cancel``.
    public func link(_ request: LinkRequest) async throws -> LinkDecision { request.safeAnswer }

    /// Returns the safe decision, ``DialogRequest/safeDecision``.
    public func dialog(_ request: DialogRequest) async throws -> DialogDecision { request.safeDecision }

    /// Returns the safe decision, ``PermissionDecision/deny``.
    public func permission(_ request: PermissionRequest) async throws -> PermissionDecision { request.safeAnswer }
}

/// A dialog of a page.
public struct DialogRequest: Sendable, Hashable {
    /// The page of the dialog, with the real URL of its current document. Dialogs of frames belong to their page.
    public let page: PageSession
    /// The kind of the dialog.
    public let kind: DialogKind
    /// The text of the dialog, truncated to 10,000 characters. For `DialogKind.leave` engines provide no useful text.
    public let message: String

    /// The decision that applies if the app makes none: a `beforeunload` dialog is accepted, so that the page is
    /// left; all other dialogs are cancelled.
    public var safeDecision: DialogDecision { kind == .leave ? .accept() : .cancel }
}

/// The decision about a ``DialogRequest``.
public enum DialogDecision: Sendable, Hashable {
    /// Cancels the dialog: its result is `false` or `null`, or the page stays.
    case cancel
    /// Accepts the dialog. `window.prompt` returns the text, or its default text if `text` is `nil`.
    case accept(text: String? = nil)
}

extension DialogRequest: PageQuestion {
    package var safeAnswer: DialogDecision { safeDecision }

    package var blocksPage: Bool { true }

    package func put(to delegate: any PagePromptDelegate) async throws -> DialogDecision {
        try await delegate.dialog(self)
    }
}

extension DialogKind {
    /// The maximum length of a text, in characters.
    static let textLimit = 10_000

    /// The kind with a default text of at most ``textLimit`` characters.
    var truncated: DialogKind {
        if case .prompt(let text) = self { .prompt(defaultText: String(text.prefix(Self.textLimit))) } else { self }
    }
}

/// A request of a page to use devices or data of the user.
public struct PermissionRequest: Sendable, Hashable {
    /// The page of the request, with the real URL of its current document. Requests of frames belong to their page.
    public let page: PageSession
    /// The permissions that are granted or denied together.
    public let permissions: Set<PagePermission>
    /// The domain of the frame that requests storage access, if the engine reports it.
    public let requester: String?
}

/// The decision about a ``PermissionRequest``.
public enum PermissionDecision: Sendable, Hashable {
    /// Denies the permissions.
    case deny
    /// Grants the permissions. The engine determines how long it remembers them.
    case allow
}

extension PermissionRequest: PageQuestion {
    package var safeAnswer: PermissionDecision { .deny }

    package func put(to delegate: any PagePromptDelegate) async throws -> PermissionDecision {
        try await delegate.permission(self)
    }
}
