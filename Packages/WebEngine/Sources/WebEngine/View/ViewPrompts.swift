// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The decisions that an engine leaves to the app.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewPrompts: AnyObject {
    /// Receives what the page asks, on the main actor, while the engine waits: an immediate answer costs no turn of the main
    /// loop. There is one receiver; `nil` at first, and then each prompt gets its safe answer, except that documents are
    /// shown.
    var onPrompt: (@MainActor (EnginePrompt) -> Void)? { get set }

    /// Returns a Boolean value that indicates whether a user gesture caused the navigation to a URL, as the engine names it;
    /// false if the engine does not say.
    func isUserGesture(for url: String) -> Bool
}

/// Something that a page wants, and that its engine does not decide alone.
///
/// It is answered once. What is dropped without an answer gets the safe one, so that no page waits for ever.
/// Isolation: the main actor.
@MainActor
public final class EnginePrompt {
    /// What is asked. URLs are as the engine names them.
    public enum Subject: Sendable, Hashable {
        /// A link, a script or a form wants another window.
        case newWindow(url: String, isUserGesture: Bool)
        /// The page, or a frame of it, wants to go to a scheme that is not of the web.
        case otherScheme(url: String, isUserGesture: Bool)
        /// The view's document is about to be another one: its answer has begun, and nothing of it is shown yet.
        case document(url: String)
        /// `alert`, `confirm`, `prompt` or `beforeunload`: the page stands still until it is answered.
        case dialog(DialogKind, message: String)
        /// What the page may use. The other one is who else asks: the domain of a frame, where the engine says so.
        case permission(Set<PagePermission>, requester: String?)

        /// The answer that harms nobody, and holds nobody up.
        public var safeAnswer: Answer {
            switch self {
            case .dialog(.leave, _): .yes
            case .newWindow, .otherScheme, .document, .dialog, .permission: .no
            }
        }
    }

    /// What comes of it.
    public enum Answer: Sendable, Hashable {
        /// It is not done.
        case no
        /// It is done; a new window is opened by the engine never.
        case yes
        /// The text of a prompt.
        case text(String)
    }

    /// What is asked.
    public let subject: Subject
    /// Hears that nobody waits for the answer any more.
    public var onWithdrawal: (@MainActor () -> Void)?
    private var respond: (@MainActor (Answer) -> Void)?

    /// Creates a prompt that waits for its answer.
    /// - Parameters:
    ///   - subject: The request of the page.
    ///   - respond: A closure that receives the answer, once.
    public init(_ subject: Subject, respond: @escaping @MainActor (Answer) -> Void) {
        self.subject = subject
        self.respond = respond
    }

    /// Answers; all answers but the first do nothing.
    public func answer(_ answer: Answer) {
        guard let respond else { return }
        self.respond = nil
        onWithdrawal = nil
        respond(answer)
    }

    /// The engine gives the question up, as where the view ends: it gets the safe answer.
    public func withdraw() {
        let onWithdrawal = onWithdrawal
        answer(subject.safeAnswer)
        onWithdrawal?()
    }

    isolated deinit {
        answer(subject.safeAnswer)
    }
}

/// A dialog that a page's script opens.
public enum DialogKind: Sendable, Hashable {
    /// Tells something.
    case alert
    /// Asks whether.
    case confirm
    /// Asks for a text, with one to begin with.
    case prompt(defaultText: String)
    /// Asks whether the page may be left (`beforeunload`): to accept is to leave.
    case leave
}

/// What a page may use with somebody's permission. Kinds are added over time: keep a default when switching.
public enum PagePermission: String, Sendable, Hashable, CaseIterable {
    /// Where the device is.
    case geolocation
    /// To show notifications.
    case notifications
    /// The camera's picture.
    case camera
    /// The microphone's sound.
    case microphone
    /// The picture of a screen or a window.
    case display
    /// To read the clipboard.
    case clipboard
    /// The names of cameras and microphones.
    case deviceNames
    /// To hold the pointer.
    case pointerLock
    /// Keys for protected media.
    case mediaKeys
    /// The cookies and storage of a frame's own site (`document.requestStorageAccess`).
    case storageAccess
    /// What the engine asks for, and the adapter does not know.
    case other
}
