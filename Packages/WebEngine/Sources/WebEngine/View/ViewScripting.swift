// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The scripts, message handlers and content rules of a view, and the calls by which scripts reach the app.
///
/// Isolation: the main actor.
@MainActor
public protocol ViewScripting: AnyObject {
    /// Runs the body of an asynchronous function and returns its result as JSON; `null` for `undefined`.
    ///
    /// The call ends when the promise settles or the page is replaced. The caller sets a time limit.
    /// - Throws: ``EngineError`` with code `script` if the script throws, `pageGone` if another page replaced the page,
    ///   or `processEnded` if the view ended.
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String

    /// Adds a script that runs in each page, starting with the next load.
    func add(_ script: UserScript)

    /// Sets the handler of `webkit.messageHandlers.<name>.postMessage(…)`, whose promise settles with the reply.
    ///
    /// The message and the reply are JSON. The promise is rejected if the reply is not JSON or the handler throws. A
    /// second handler with the same name and world replaces the first. Pending replies are cancelled when a handler is
    /// replaced or the view ends.
    /// - Throws: ``EngineError`` with code `handlerTaken` if the engine cannot have a handler with this name in this
    ///   world.
    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String) throws

    /// The names of the message handlers with pending replies to the current document; empty if the adapter does not
    /// record them. Messages of earlier documents of the view are not included, and messages of frames are not if the
    /// engine reports the frame.
    var pendingHandlers: Set<String> { get }

    /// Runs scripts in sequence in the view's blank page, in a separate world, so that the engine compiles them before
    /// pages run them.
    ///
    /// Their results and exceptions are ignored. An adapter whose engine does not cache compiled code does nothing.
    /// - Throws: ``EngineError`` with code `processEnded` if the view ended, or `timedOut` after the view's own limit.
    func precompile(_ sources: [String]) async throws

    /// Applies content rules to those requests of the view's pages that the container does not handle, until the view
    /// ends. The rules replace earlier rules. If the engine has no content rules, the adapter must enforce the same
    /// restrictions for pages of custom schemes.
    /// - Parameter json: a WebKit content rule list.
    /// - Throws: ``EngineError`` if the engine rejects the rules.
    func setContentRules(_ json: String) async throws

    /// Sets a closure that answers the `window.prompt(…)` calls whose text begins with `prefix`, in all frames, for the
    /// lifetime of the view. The answer is synchronous and no dialog is shown. A second call replaces the first.
    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String)

    /// Sets a closure that is called for each form navigation of the page or a frame, for the lifetime of the view. A
    /// second call replaces the first.
    ///
    /// The closure is called before the engine stops the loads of the document that the navigation replaces. An engine
    /// that loses no bodies need not call it.
    /// - Parameter wait: a closure that receives the URL of the form in the engine's form. If it returns a function,
    ///   the navigation begins when that function returns, and the document stays alive until then.
    func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?)
}

/// The JavaScript world of a script.
public enum ScriptWorld: Sendable, Hashable {
    /// The world of the page's own scripts.
    case page
    /// A world with this name. It shares the document with the page, but not global variables.
    case isolated(name: String)
}

/// A script that runs in every page of a view.
public struct UserScript: Sendable, Hashable {
    /// The time at which a script runs.
    public enum Time: Sendable, Hashable {
        /// Before the page's own scripts.
        case documentStart
        /// After the document is parsed and before its resources have loaded.
        case documentEnd
    }

    /// The source text of the script.
    public var source: String
    /// The time at which the script runs.
    public var time: Time
    /// The world in which the script runs.
    public var world: ScriptWorld
    /// A Boolean value that indicates whether the script also runs in frames.
    public var inAllFrames: Bool
    /// The URL patterns of the documents in which the script runs; empty, the default, for all documents.
    ///
    /// A pattern has a scheme, a host that may begin with `*.`, and a path, such as `app://*.shop.example/*`. It
    /// matches any port.
    public var places: [String]

    /// Creates a script. By default it runs in the page's world, in frames too.
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
    /// The posted value as JSON.
    public let json: String
    /// The URL with which the view's current document was committed, in the engine's form.
    ///
    /// Navigations in progress do not affect it, and neither do later changes by a fragment or `history.pushState`.
    ///
    /// A message of a frame of the document's origin has the same URL. If the engine reports the frame, that of another
    /// origin has the serialized origin of the frame, such as `https://b.example`, or `null` if that is opaque (HTML,
    /// section "Origin"). WKWebView reports the frame. WebKitGTK does not, so that the URL identifies the origin of the
    /// sender only if the document has no untrusted frames.
    public let documentURL: String

    /// Creates a message. Adapters call this for each message that a page posts.
    public init(json: String, documentURL: String) {
        self.json = json
        self.documentURL = documentURL
    }
}
