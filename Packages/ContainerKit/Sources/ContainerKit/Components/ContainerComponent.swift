// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import BodyBridge
@_spi(Facade) internal import CookieBridge
internal import Diagnostics
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

/// A part of a container that observes its pages.
///
/// Every hook has a default implementation that does nothing. Isolation: the main actor.
@MainActor
protocol PageObserver: AnyObject {
    /// Called before a page opens. The page's view is checked out when all components have returned.
    /// - Throws: any error; the page is not opened then.
    func pageWillOpen(_ opening: PageOpening) async throws

    /// Called when a page has its view and its session, before the event of its opening is sent.
    func pageDidOpen(_ page: PageSession, _ opening: PageOpening)

    /// Called before the view of a page loads the document. Components may add scripts and message handlers.
    /// - Throws: any error; the page is closed then.
    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async throws

    /// Called for each signal of a page's view. The session already has the URL of the document that is shown.
    func page(_ page: PageSession, didReceive signal: ViewSignal)

    /// Called when a page could not be opened. If the page had a view, ``pageDidClose(_:)`` follows.
    func pageDidFail(_ page: PageID, because error: any Error)

    /// Called when a page was closed, or released by the app.
    func pageDidClose(_ page: PageSession)
}

/// A part of a container that observes the life cycle of the app and its pages. ``ComponentList`` defines the order of
/// the calls.
///
/// Every hook has a default implementation that does nothing. Isolation: the main actor.
@MainActor
protocol ContainerComponent: PageObserver {
    /// Starts the component. No page opens before all components have returned.
    /// - Throws: any error; the container is not created then.
    func start() async throws

    /// Called when all components have started. Responses to requests that the component sends here arrive after the
    /// container exists.
    func didStart()

    /// Called when the app enters the background, is about to be suspended, or resumes.
    /// - Throws: an error for the caller, after all other components were called.
    func hostDidTransition(to state: HostState) async throws

    /// Called when the app enters the foreground.
    func hostEnteredForeground()

    /// Releases memory.
    func trimMemory(_ pressure: MemoryPressure)

    /// Removes data of an account.
    /// - Throws: an error for the caller, after all other components were called.
    func removeData(_ removal: AccountDataRemoval) async throws

    /// Called before the shut-down. Open pages count as closed.
    func willShutDown()

    /// Stops work in progress and waits for its end.
    func shutDown() async

    /// Adds the counters of the component.
    func addCounters(to counters: inout ContainerCounters)
}

extension PageObserver {
    func pageWillOpen(_ opening: PageOpening) async throws {}
    func pageDidOpen(_ page: PageSession, _ opening: PageOpening) {}
    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async throws {}
    func page(_ page: PageSession, didReceive signal: ViewSignal) {}
    func pageDidFail(_ page: PageID, because error: any Error) {}
    func pageDidClose(_ page: PageSession) {}
}

extension ContainerComponent {
    func start() async throws {}
    func didStart() {}
    func hostDidTransition(to state: HostState) async throws {}
    func hostEnteredForeground() {}
    func trimMemory(_ pressure: MemoryPressure) {}
    func removeData(_ removal: AccountDataRemoval) async throws {}
    func willShutDown() {}
    func shutDown() async {}
    func addCounters(to counters: inout ContainerCounters) {}
}

// MARK: - Values of the hooks

/// A page that is being opened.
@MainActor
final class PageOpening {
    let id: PageID
    /// The real URL of the document, with its fragment.
    let url: String
    /// The request of the document if the app opens the page by POST.
    let post: PostNavigation?
    /// The user agent of the page's view.
    let userAgent: UserAgent
    /// A Boolean value that indicates whether the view of the page is a warm view.
    var hasWarmView = false
    /// The URL of the document in the engine; the real URL until the page has a view.
    var place: String
    /// The load of the view; `nil` until the page has a view.
    var load: ViewLoad?
    /// A closure that returns the timeline of the page; `nil` if no timeline is recorded.
    var timeline: (@MainActor () -> PageTimeline)?

    init(_ id: PageID, url: String, post: PostNavigation?, userAgent: UserAgent) {
        self.id = id
        self.url = url
        self.post = post
        self.userAgent = userAgent
        place = url
    }
}

/// A state of the app.
enum HostState: Sendable, Hashable {
    case background
    case suspended
    /// The app continues after a suspension. The store is closed if another process has locked the container's
    /// directory.
    case resumed(isStoreOpen: Bool)

    /// A Boolean value that indicates whether the app is in the background or suspended.
    var isAway: Bool { self == .background || self == .suspended }
}

/// A removal of the data of an account.
struct AccountDataRemoval: Sendable, Hashable {
    /// The kinds of data to remove. Prefetched responses and the memory of used web processes are always removed.
    struct Contents: OptionSet, Sendable, Hashable {
        let rawValue: Int
        /// Cookies, and request bodies that pages have passed through the bridge.
        static let cookies = Contents(rawValue: 1 << 0)
        /// The HTTP cache of the container.
        static let httpCache = Contents(rawValue: 1 << 1)
        /// The engine's cached copies of package files, if the engine caches them.
        static let engineCopies = Contents(rawValue: 1 << 2)
        /// The HTTP cache of the engine, downloads in progress, and request bodies that pages pass during the removal.
        static let session = Contents(rawValue: 1 << 3)
    }

    /// A stage of a removal. Each component is called in each stage.
    enum Stage: Sendable, Hashable {
        /// Data in memory is dropped, and no new data is accepted.
        case began
        /// Stores are cleared.
        case clearing
        /// Data in memory that arrived during the removal is dropped.
        case ended
        /// The app was informed. Components accept new data again.
        case finished
    }

    let scope: CookieScope
    let contents: Contents
    var stage = Stage.began
}
