// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import WebViewPool

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// One web view of an engine.
///
/// After `discard()`, calls that can throw throw ``EngineError`` with code `processEnded`, and the others do nothing.
/// Isolation: the main actor.
@MainActor
public protocol EngineView: PoolableView {
    /// Names the view while its engine lives.
    var id: ViewID { get }

    /// Hears what happens to the view, in order, on the main actor. One listener; `nil` by default.
    var onSignal: (@MainActor (ViewSignal) -> Void)? { get set }

    /// Hears what the page asks, on the main actor, while the engine waits: what is answered at once costs no turn. One
    /// listener; `nil` by default, and then each question gets its safe answer, but that documents are shown.
    var onPrompt: (@MainActor (EnginePrompt) -> Void)? { get set }

    /// Hears what the page saves, on the main actor. One listener; `nil` by default, and then nothing is saved.
    var onDownload: (@MainActor (ViewDownload) -> Void)? { get set }

    /// Ends the downloads that ``onDownload`` has not heard of yet, since no answer to them has begun.
    func dropPendingDownloads()

    /// Whether the engine shows documents of a media type, which is in lower case and without parameters. What it does not
    /// show can only be saved.
    func canShow(_ mediaType: String) -> Bool

    /// Whether somebody has touched the page for the navigation to this URL, as the engine names it; false where it does
    /// not say.
    func isUserGesture(for url: String) -> Bool

    /// Starts to load a URL. What comes of it arrives as signals; a load that was still under way says nothing more.
    func load(_ url: String)

    /// Stops what is loading. A navigation that had not committed ends as failed.
    func stopLoading()

    /// Loads the document that the view shows anew, in place of its entry in the history, and in a new process where
    /// its own has ended. It is asked for by GET.
    /// - Parameter url: what to load where the view knows of no document.
    func reload(_ url: String)

    /// Shows a page of the app's own in place of what should be at a URL: a document of no origin. A reload, and the
    /// history, lead to the URL.
    func showErrorPage(_ html: String, for url: String)

    /// Whether the view is gone for good: discarded, or its window closed. A process that ended is no such end.
    var hasEnded: Bool { get }

    /// Ends the web process at once, however busy it is; the end is told as `ViewSignal.processEnded`. A page that is open
    /// is then loaded anew, as after a crash: who wants the memory closes the page.
    func endProcess()

    /// The last load that was asked for by `load`, `reload` or `showErrorPage`, whoever did; `nil` before the first.
    var lastLoad: LoadToken? { get }

    /// Whether the view is in sight, as far as the engine says; its change is told as `ViewSignal.visibilityChanged`.
    var isVisible: Bool? { get }

    /// The names of the message handlers that owe the document that is there an answer; what an earlier document of the
    /// view has asked for counts no more.
    var pendingHandlers: Set<String> { get }

    /// Whether the document that is there was asked for with a method other than GET, as far as the engine says.
    var isPosted: Bool { get }

    /// Whether the document that is on its way to a URL is asked for with another method than GET. It may say no where
    /// that is not known.
    func isPosting(to url: String) -> Bool

    /// Runs the body of an asynchronous function and returns its result as JSON; `null` for `undefined`.
    ///
    /// The call ends when the promise settles or the page goes away; give it a limit of your own.
    /// - Throws: ``EngineError`` with code `script` when it throws, `pageGone` when another page took the page's place,
    ///   `processEnded` when the view ended.
    func evaluate(_ functionBody: String, in world: ScriptWorld) async throws -> String

    /// A picture of the visible part of the page.
    /// - Throws: ``EngineError`` with code `snapshot`, or as ``evaluate(_:in:)``.
    func snapshot() async throws -> PageSnapshot

    /// Has the engine connect to origins ahead, while the view shows a blank page; where it shows another, this does nothing.
    /// Whether it comes to a connection nobody says.
    /// - Parameter origins: of https, as `https://host` or `https://host:port`, of which pages may open soon.
    func preconnect(to origins: [String]) async

    /// Runs scripts, one after the other, in the blank page that the view shows and in a world that no page has: an engine
    /// runs them sooner in the pages to come. What they return or throw is nobody's.
    /// - Throws: ``EngineError`` with code `processEnded` when the view ended, `timedOut` after a limit of the view's own.
    func precompile(_ sources: [String]) async throws

    /// What the view calls itself from the next load on; of a view that was just made, the engine's own.
    func setUserAgent(_ agent: UserAgent)

    /// Adds a script that runs in each page from the next load on.
    func add(_ script: UserScript)

    /// Answers `webkit.messageHandlers.<name>.postMessage(…)`, whose promise settles with the reply.
    ///
    /// The message is the JSON of what was posted, and so is the reply: one that is no JSON rejects the promise, and so
    /// does a handler that throws. A second handler of the same name and world replaces the first, whose answers under
    /// way are cancelled; so are all when the view ends.
    /// - Throws: ``EngineError`` with code `handlerTaken` where the engine cannot have a handler of this name there.
    func setMessageHandler(
        named name: String, in world: ScriptWorld,
        _ handler: @escaping @MainActor (ScriptMessage) async throws -> String) throws

    /// Holds the requests of the view's pages that the container does not answer to content rules, in place of those
    /// before, until the view ends.
    ///
    /// By default nothing is done: an engine without such rules must hold pages of custom schemes to the same by itself.
    /// - Parameter json: a content rule list of WebKit.
    /// - Throws: ``EngineError`` if the engine refuses the rules.
    func setContentRules(_ json: String) async throws

    /// Answers, at once and without showing it, each dialog of `prompt(…)` whose text begins with `prefix`, in any frame. It
    /// holds for as long as the view; a second call takes the place of the first.
    func answerPrompts(startingWith prefix: String, _ answer: @escaping @MainActor (String) -> String)

    /// Asks about each navigation by a form, of the page or a frame, before it stops the loads of the document that it
    /// replaces. It holds for as long as the view; a second call takes the place of the first.
    /// - Parameter wait: receives the URL of the form, as the engine names it. If it returns a function, the navigation
    ///   begins as soon as that returns, and the document lives on until then.
    func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?)
}

extension EngineView {
    /// Nobody hears, for engines that ask nothing.
    public var onPrompt: (@MainActor (EnginePrompt) -> Void)? {
        get { nil }
        set {}
    }

    /// Nobody hears, for engines that save nothing.
    public var onDownload: (@MainActor (ViewDownload) -> Void)? {
        get { nil }
        set {}
    }

    /// Does nothing, for engines that save nothing, or have none of that kind.
    public func dropPendingDownloads() {}

    /// All, for engines that do not say.
    public func canShow(_ mediaType: String) -> Bool { true }

    /// False, for engines that do not say.
    public func isUserGesture(for url: String) -> Bool { false }

    /// Holds no navigation, for engines that lose no body.
    public func holdForms(_ wait: @escaping @MainActor (_ url: String) -> (@MainActor () async -> Void)?) {}

    /// False, for engines whose views end by the container's will alone.
    public var hasEnded: Bool { false }

    /// Does nothing, for engines whose worlds do not share what they have read.
    public func precompile(_ sources: [String]) async throws {}

    public func setContentRules(_ json: String) async throws {}

    /// Asks as a page does, by `<link rel=preconnect>` (HTML, "link type preconnect").
    public func preconnect(to origins: [String]) async {
        let list = origins.map(InitialPageData.literal).joined(separator: ", ")
        // A page may have come meanwhile, which is to notice nothing. What is asked for no one takes back.
        _ = try? await evaluate(
            """
            if (location.href === 'about:blank') for (const href of [\(list)]) {
                const link = Object.assign(document.createElement('link'), { rel: 'preconnect', href });
                document.head.append(link);
                link.remove();
            }
            """, in: .page)
    }

    /// Does nothing, for engines that cannot: then a page that hangs is left alone.
    public func endProcess() {}

    /// None, for engines that do not say: then a page may be loaded anew although the app has just loaded another one.
    public var lastLoad: LoadToken? { nil }

    /// Unknown, for engines that do not say: then a page whose process ended out of sight is loaded anew at once.
    public var isVisible: Bool? { nil }

    /// None, for engines that do not say: then a page that waits for the app looks like any other.
    public var pendingHandlers: Set<String> { [] }

    /// False, for engines that do not say.
    public var isPosted: Bool { false }

    /// Not known.
    public func isPosting(to url: String) -> Bool { false }

    /// Loads the URL, for engines without a better way.
    public func reload(_ url: String) { load(url) }

    /// Loads the page from a `data:` URL, for engines without a better way: the history then leads to that.
    public func showErrorPage(_ html: String, for url: String) {
        load("data:text/html;charset=utf-8;base64,\(Data(html.utf8).base64EncodedString())")
    }
}

/// A picture of a page.
public struct PageSnapshot: Sendable, Hashable {
    /// In pixels.
    public let width: Int
    /// In pixels.
    public let height: Int
    /// Rows from the top without padding, each pixel as the bytes blue, green, red, alpha.
    public let pixels: Data
    /// The same picture as a PNG file.
    public let png: Data

    /// Makes a picture. The parts must fit each other.
    public init(width: Int, height: Int, pixels: Data, png: Data) {
        self.width = width
        self.height = height
        self.pixels = pixels
        self.png = png
    }
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

/// Names a view of an engine while the engine lives.
public struct ViewID: Sendable, Hashable {
    /// A number that the engine gives to no other view.
    public let rawValue: UInt64

    /// Names the view of this number.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }
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
