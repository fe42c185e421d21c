// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import CookieBridge
internal import Diagnostics
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

/// A part of a container that follows its pages.
///
/// Every hook has a default that does nothing. Isolation: the main actor.
@MainActor
protocol PageObserver: AnyObject {
    /// A page is about to open. Its view is checked out when all components have returned.
    /// - Throws: any error, which ends the opening of the page.
    func pageWillOpen(_ opening: PageOpening) async throws

    /// A page has its view and its session; the event of its opening follows.
    func pageDidOpen(_ page: PageSession, _ opening: PageOpening)

    /// The view of a page is about to load it; components may add scripts and handlers.
    /// - Throws: any error, which ends the opening of the page and closes it.
    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) async throws

    /// The view of a page sent a signal. The session has the URL of a document that is shown already.
    func page(_ page: PageSession, didReceive signal: ViewSignal)

    /// A page could not be opened. If it had a view, ``pageDidClose(_:)`` follows.
    func pageDidFail(_ page: PageID, because error: any Error)

    /// A page was closed, or dropped by the app.
    func pageDidClose(_ page: PageSession)
}

/// A part of a container that takes part in the life of the app and of its pages. ``ComponentList`` has the order in
/// which components are called.
///
/// Every hook has a default that does nothing. Isolation: the main actor.
@MainActor
protocol ContainerComponent: PageObserver {
    /// Begins the work of the component; no page opens before all have returned.
    /// - Throws: any error, which ends the creation of the container.
    func start() async throws

    /// All components have started. Responses to requests that are made here arrive when the container exists.
    func didStart()

    /// The app went to the background, is about to be suspended, or continues after that.
    /// - Throws: an error for the caller, after all other components were called.
    func hostDidTransition(to state: HostState) async throws

    /// The app came to the foreground.
    func hostEnteredForeground()

    /// Memory is short.
    func trimMemory(_ pressure: MemoryPressure)

    /// Removes data of an account.
    /// - Throws: an error for the caller, after all other components were called.
    func removeData(_ removal: AccountDataRemoval) async throws

    /// The container is about to shut down; open pages count as closed.
    func willShutDown()

    /// Ends work in progress and waits for it.
    func shutDown() async

    /// Adds the counts of the component.
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
    let post: OpeningPosts.Post?
    /// The user agent of the page's view.
    let userAgent: UserAgent
    /// `true` once the page has a view that was prepared before.
    var hasWarmView = false
    /// The URL of the document in the engine; the real URL until the page has a view.
    var place: String
    /// The load of the view, once the page has one.
    var load: ViewLoad?
    /// Returns the timeline of the page; `nil` if none is recorded.
    var timeline: (@MainActor () -> PageTimeline)?

    init(_ id: PageID, url: String, post: OpeningPosts.Post?, userAgent: UserAgent) {
        self.id = id
        self.url = url
        self.post = post
        self.userAgent = userAgent
        place = url
    }
}

/// A state of the app that hosts the container.
enum HostState: Sendable, Hashable {
    case background
    case suspended
    /// The app continues after a suspension. The store is closed if another process has taken the folder.
    case resumed(isStoreOpen: Bool)

    /// `true` for the states in which the app is away.
    var isAway: Bool { self == .background || self == .suspended }
}

/// A removal of data that belongs to an account.
struct AccountDataRemoval: Sendable, Hashable {
    /// The kinds of data that are removed. Responses that were prefetched, and the memory of used web processes, always
    /// are.
    struct Contents: OptionSet, Sendable, Hashable {
        let rawValue: Int
        /// Cookies, and bodies that pages have handed over.
        static let cookies = Contents(rawValue: 1 << 0)
        /// The HTTP cache of the container.
        static let httpCache = Contents(rawValue: 1 << 1)
        /// The copies of responses in the engine's caches, as far as the engine keeps files of packages.
        static let engineCopies = Contents(rawValue: 1 << 2)
        /// The HTTP cache of the engine, downloads in progress, and bodies that pages hand over during the removal.
        static let session = Contents(rawValue: 1 << 3)
    }

    /// The stages of a removal; each component is called in each stage.
    enum Stage: Sendable, Hashable {
        /// Data in memory is dropped, and nothing new is accepted.
        case began
        /// Stores are cleared.
        case clearing
        /// Data in memory that arrived in the meantime is dropped.
        case ended
        /// The app was informed; what was refused is accepted again.
        case finished
    }

    let scope: CookieScope
    let contents: Contents
    var stage = Stage.began
}
