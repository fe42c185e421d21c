// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import LoopbackInterception
internal import OfflinePackage
internal import ResourceLoading
internal import WebEngine

/// The open pages of a container.
///
/// Isolation: the main actor.
@MainActor
final class PageRegistry {
    /// The delegate of the app.
    weak var delegate: (any PageDelegate)?
    /// The attribution of requests over loopback to pages; `nil` if no mode is over loopback.
    var attributor: PageAttributor?
    private let library: PackageLibrary
    private var sessions: [ViewID: PageSession] = [:]
    private var loads: [ViewID: ViewLoad] = [:]
    private var lastID: UInt64 = 0

    /// - Parameter library: the packages; a page stays on the generations that were active when it was opened.
    init(_ library: PackageLibrary) {
        self.library = library
    }

    /// Returns the identifier of a new page.
    func makeID() -> PageID {
        lastID += 1
        return PageID(rawValue: lastID)
    }

    /// Adds a page that opens in a view.
    /// - Parameters:
    ///   - opening: the page.
    ///   - view: its view.
    ///   - mode: its mode.
    ///   - isShared: `true` if its requests do not say which page they are of.
    func open(_ opening: PageOpening, in view: ViewID, mode: InterceptionMode, isShared: Bool) -> PageSession {
        let session = PageSession(
            id: opening.id, documentURL: opening.url, view: view, mode: mode,
            generations: mode != .plain || isShared ? library.pin(opening.id, isShared: isShared) : [])
        sessions[view] = session
        return session
    }

    /// Sets the load of a page's view.
    func set(_ load: ViewLoad, of page: PageSession) { loads[page.view] = load }

    /// Removes a page from the open ones. Its generations are kept until ``release(_:)``.
    /// - Returns: its session, with the document that it showed at last.
    func close(_ opened: PageSession) -> PageSession {
        loads[opened.view] = nil
        return sessions.removeValue(forKey: opened.view) ?? opened
    }

    /// Releases the generations of a page that was closed.
    func release(_ page: PageID) { library.unpin(page) }

    /// Replaces the session of a page that is open.
    func update(_ session: PageSession) {
        guard sessions[session.view]?.id == session.id else { return }
        sessions[session.view] = session
        attributor?.record(session.reference)
    }

    /// Updates the generations in the session of a page that is open.
    func updateGenerations(of page: PageID) {
        if let session = session(of: page) { update(current(session)) }
    }

    /// Returns a session with the generations that its page has now.
    func current(_ session: PageSession) -> PageSession {
        var session = session
        session.generations = library.generations(of: session.id)
        return session
    }

    /// The sessions of the open pages, oldest first.
    var open: [PageSession] {
        sessions.values.map(current).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Returns the session of the page that a view shows; `nil` if there is none.
    func session(of view: ViewID) -> PageSession? { sessions[view] }

    /// Returns the session of a page; `nil` if it is closed.
    func session(of page: PageID) -> PageSession? { sessions.values.first { $0.id == page } }

    /// Returns the session of a request's page as it is now; `nil` if the page is closed.
    func session(for asked: PageSession?) -> PageSession? {
        asked.flatMap { asked in sessions[asked.view].flatMap { $0.id == asked.id ? $0 : nil } }
    }

    /// Returns the load of a view; `nil` if it shows no page.
    func load(of view: ViewID) -> ViewLoad? { loads[view] }
}
