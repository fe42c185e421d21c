// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

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
    /// The component that attributes requests over loopback; `nil` if no mode in use is a loopback mode.
    weak var loopback: (any LoopbackIntercepting)?
    private let library: PackageLibrary
    private var sessions: [ViewID: PageSession] = [:]
    private var loads: [ViewID: ViewLoad] = [:]
    private var lastID: UInt64 = 0

    /// Creates an empty registry.
    /// - Parameter library: the packages. A page uses the generations that were active when it opened.
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
    ///   - isShared: a Boolean value that indicates whether its requests do not identify their page.
    /// - Returns: the session of the page.
    func open(_ opening: PageOpening, in view: ViewID, mode: InterceptionMode, isShared: Bool) -> PageSession {
        let session = PageSession(
            id: opening.id, documentURL: opening.url, view: view, mode: mode,
            generations: mode != .plain || isShared ? library.pin(opening.id, isShared: isShared) : [])
        sessions[view] = session
        return session
    }

    /// Sets the load of a page's view.
    func set(_ load: ViewLoad, of page: PageSession) { loads[page.view] = load }

    /// Removes a page. Its generations stay pinned until ``release(_:)``.
    /// - Returns: the session with the last document of the page.
    func close(_ opened: PageSession) -> PageSession {
        loads[opened.view] = nil
        return sessions.removeValue(forKey: opened.view) ?? opened
    }

    /// Unpins the generations of a closed page.
    func release(_ page: PageID) { library.unpin(page) }

    /// Replaces the session of a page, if the page is open.
    func update(_ session: PageSession) {
        guard sessions[session.view]?.id == session.id else { return }
        sessions[session.view] = session
        loopback?.record(session.reference)
    }

    /// Updates the generations in the session of a page, if the page is open.
    func updateGenerations(of page: PageID) {
        if let session = session(of: page) { update(current(session)) }
    }

    /// Returns a session with the current generations of its page.
    func current(_ session: PageSession) -> PageSession {
        var session = session
        session.generations = library.generations(of: session.id)
        return session
    }

    /// The sessions of the open pages, oldest first.
    var open: [PageSession] {
        sessions.values.map(current).sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Returns the session of the page in a view, or `nil` if there is none.
    func session(of view: ViewID) -> PageSession? { sessions[view] }

    /// Returns the session of a page, or `nil` if the page is closed.
    func session(of page: PageID) -> PageSession? { sessions.values.first { $0.id == page } }

    /// Returns the current session of a request's page, or `nil` if the page is closed.
    func session(for asked: PageSession?) -> PageSession? {
        asked.flatMap { asked in sessions[asked.view].flatMap { $0.id == asked.id ? $0 : nil } }
    }

    /// Returns the load of a view, or `nil` if the view shows no page.
    func load(of view: ViewID) -> ViewLoad? { loads[view] }
}
