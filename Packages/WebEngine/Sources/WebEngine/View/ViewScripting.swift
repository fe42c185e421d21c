// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The scripts, message handlers and content rules of a view, and the calls by which scripts reach the app.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewScripting: AnyObject {
    /// Runs the body of an asynchronous function and returns its result as JSON; `null` for `undefined`.
    ///
    /// The call ends when the promise settles or the page goes away; the caller sets a time limit.
    /// - Throws: ``EngineError`` with code `script` if it throws, `pageGone` if another page replaced the page,
    ///   `processEnded` if the view ended.
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String

    /// Adds a script that runs in each page from the next load on.
    func add(_ script: UserScript)

    /// Handles `webkit.messageHandlers.<name>.postMessage(…)`, whose promise settles with the reply.
    ///
    /// The message and the reply are JSON; a reply that is not, or a handler that throws, rejects the promise. A second
    /// handler of the same name and world replaces the first, whose pending replies are cancelled, as all are when the view
    /// ends.
    /// - Throws: ``EngineError`` with code `handlerTaken` if the engine cannot have a handler of this name there.
    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String) throws

    /// The names of the message handlers that owe the current document a reply; empty if the adapter does not record them.
    /// Messages of an earlier document of the view do not count.
    var pendingHandlers: Set<String> { get }

    /// Runs scripts one after the other, in the blank page of the view and in a world of their own, so that the engine
    /// compiles them before pages run them. Their results and exceptions are ignored. An adapter whose engine keeps no
    /// compiled code does nothing.
    /// - Throws: ``EngineError`` with code `processEnded` if the view ended, `timedOut` after a limit of the view's own.
    func precompile(_ sources: [String]) async throws

    /// Applies content rules to those requests of the view's pages that the container does not handle, in place of earlier
    /// rules, until the view ends. An engine without content rules enforces the same for pages of custom schemes by itself.
    /// - Parameter json: a content rule list of WebKit.
    /// - Throws: ``EngineError`` if the engine refuses the rules.
    func setContentRules(_ json: String) async throws

    /// Answers, at once and without showing it, each dialog of `window.prompt(…)` whose text begins with `prefix`, in any
    /// frame, for the life of the view. A second call replaces the first.
    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String)

    /// Calls a function for each navigation by a form, of the page or a frame, before the engine stops the loads of the
    /// document that the navigation replaces, for the life of the view. A second call replaces the first. An engine that
    /// loses no bodies need not call it.
    /// - Parameter wait: receives the URL of the form, as the engine names it. If it returns a function, the navigation
    ///   begins when that returns, and the document lives on until then.
    func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?)
}

/// Where a script runs: with the page's own scripts, or beside them, sharing only the document.
public enum ScriptWorld: Sendable, Hashable {
    /// With the page's own scripts.
    case page
    /// In a world of this name: the document is shared, names are not.
    case isolated(name: String)
}

/// A script that runs in every page of a view.
public struct UserScript: Sendable, Hashable {
    /// When a script runs.
    public enum Time: Sendable, Hashable {
        /// Before the page's own scripts.
        case documentStart
        /// When the document is parsed, before what it loads is there.
        case documentEnd
    }

    /// The text of the script.
    public var source: String
    /// When it runs.
    public var time: Time
    /// Where its names live.
    public var world: ScriptWorld
    /// Whether the script also runs in frames.
    public var inAllFrames: Bool
    /// The documents in which the script runs: patterns of a scheme, a host, which may begin with `*.`, and a path, such as
    /// `app://*.shop.example/*`, on any port. All documents by default.
    public var places: [String]

    /// Makes a script: by default one that runs with the page's own, in frames too.
    public init(
        _ source: String, at time: Time, in world: ScriptWorld = .page, inAllFrames: Bool = true,
        places: [String] = []
    ) {
        self.source = source
        self.time = time
        self.world = world
        self.inAllFrames = inAllFrames
        self.places = places
    }
}

/// A message that a page sent to the app.
public struct ScriptMessage: Sendable, Hashable {
    /// What was posted, as JSON.
    public let json: String
    /// The URL with which the view's document was committed, as the engine names it: never one that the view is still on
    /// its way to. What the document makes of it later, by a fragment or `history.pushState`, is not followed.
    ///
    /// A frame's message carries the URL of the view's document too, since engines do not say which frame posted. So
    /// this is the origin of the sender only where the document has no frames that the app does not trust.
    public let documentURL: String

    /// Makes a message, as an adapter does for each that a page posts.
    public init(json: String, documentURL: String) {
        self.json = json
        self.documentURL = documentURL
    }
}
