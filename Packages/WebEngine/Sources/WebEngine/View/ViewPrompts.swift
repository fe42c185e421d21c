// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The decisions that an engine leaves to the app.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewPrompts: AnyObject {
    /// A closure that receives each prompt on the main actor while the engine waits.
    ///
    /// An answer from inside the closure costs no turn of the main loop. If the closure is `nil`, as initially,
    /// documents are shown, and each other prompt receives its safe answer.
    var onPrompt: (@MainActor (EnginePrompt) -> Void)? { get set }

    /// Returns a Boolean value that indicates whether a user gesture caused the navigation to a URL in the engine's
    /// form; false if the engine does not report it.
    func isUserGesture(for url: String) -> Bool
}

/// A request of a page that the engine leaves to the app to decide.
///
/// A prompt is answered once. A prompt that is released without an answer receives its safe answer, so that the page
/// does not wait forever.
///
/// Isolation: the main actor.
@MainActor
public final class EnginePrompt {
    /// The subject of a prompt. URLs are in the engine's form.
    public enum Subject: Sendable, Hashable {
        /// A link, a script or a form opens a new window.
        case newWindow(url: String, isUserGesture: Bool)
        /// The page or one of its frames navigates to a scheme that is not a web scheme.
        case otherScheme(url: String, isUserGesture: Bool)
        /// The view is about to show a new document. Its response has begun, and no part of it is shown yet.
        case document(url: String)
        /// An `alert`, `confirm`, `prompt` or `beforeunload` dialog. The page is blocked until the answer.
        case dialog(DialogKind, message: String)
        /// A request for permissions. The requester is the domain of a frame, if the engine reports it.
        case permission(Set<PagePermission>, requester: String?)

        /// The answer that grants nothing and does not block the page.
        public var safeAnswer: Answer {
            switch self {
            case .dialog(.leave, _): .yes
            case .newWindow, .otherScheme, .document, .dialog, .permission: .no
            }
        }
    }

    /// The answer to a prompt.
    public enum Answer: Sendable, Hashable {
        /// The action is denied.
        case no
        /// The action is allowed. The engine itself never opens a new window.
        case yes
        /// The text that the user entered in a `prompt` dialog.
        case text(String)
    }

    /// The subject of the prompt.
    public let subject: Subject
    /// A closure that is called when the engine withdraws the prompt, because the answer is no longer needed.
    public var onWithdrawal: (@MainActor () -> Void)?
    private var respond: (@MainActor (Answer) -> Void)?

    /// Creates a prompt that waits for its answer.
    /// - Parameters:
    ///   - subject: the request of the page.
    ///   - respond: a closure that receives the answer, once.
    public init(_ subject: Subject, respond: @escaping @MainActor (Answer) -> Void) {
        self.subject = subject
        self.respond = respond
    }

    /// Answers the prompt. Only the first answer has an effect.
    public func answer(_ answer: Answer) {
        guard let respond else { return }
        self.respond = nil
        onWithdrawal = nil
        respond(answer)
    }

    /// Gives the prompt its safe answer and calls ``onWithdrawal``. Adapters call this if the engine cancels the
    /// prompt, for example when the view ends.
    public func withdraw() {
        let onWithdrawal = onWithdrawal
        answer(subject.safeAnswer)
        onWithdrawal?()
    }

    deinit {
        guard let respond else { return }
        let answer = subject.safeAnswer
        MainActor.runInDeinit { respond(answer) }
    }
}

/// A kind of dialog that a script opens.
public enum DialogKind: Sendable, Hashable {
    /// A message (`alert`).
    case alert
    /// A yes-no question (`confirm`).
    case confirm
    /// A text entry with an initial text (`prompt`).
    case prompt(defaultText: String)
    /// A confirmation before leaving the page (`beforeunload`). The answer `yes` leaves the page.
    case leave
}

/// A capability that a page uses with the user's permission. Cases may be added: keep a default in switches.
public enum PagePermission: String, Sendable, Hashable, CaseIterable {
    /// The location of the device.
    case geolocation
    /// Notifications.
    case notifications
    /// The camera.
    case camera
    /// The microphone.
    case microphone
    /// Screen or window capture.
    case display
    /// Reading the clipboard.
    case clipboard
    /// The names of cameras and microphones.
    case deviceNames
    /// Pointer lock.
    case pointerLock
    /// The keys of protected media (Encrypted Media Extensions).
    case mediaKeys
    /// The cookies and storage of a frame's own site (`document.requestStorageAccess`).
    case storageAccess
    /// A permission that the adapter does not recognize.
    case other
}
