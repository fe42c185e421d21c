// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Diagnostics
public import WebEngine

/// An open page, as the host holds it. Dropping the last reference closes the page.
///
/// Isolation: the main actor.
@MainActor
public final class Page<View: EngineView> {
    /// The session as it began.
    public let session: PageSession
    /// The view that shows the page. It has ended once this one is closed, or may be another page's.
    public let view: View
    /// How long the view's check-out took.
    public let checkOut: Duration
    /// How the load goes.
    public let load: ViewLoad
    /// How the page opens, as far as it is known by now, and at last how it did; `nil` where
    /// ``ContainerConfiguration/Diagnostics/timelines`` is.
    public var timeline: PageTimeline? { timelineSource?() }
    /// Returns the timeline of the page; `nil` if none is recorded.
    var timelineSource: (@MainActor () -> PageTimeline)?
    private let holder: PageHolder
    private var onEnd: (@MainActor () -> Void)?

    init(
        session: PageSession, view: View, checkOut: Duration, holder: PageHolder, onEnd: @escaping @MainActor () -> Void
    ) {
        self.session = session
        self.view = view
        self.checkOut = checkOut
        self.holder = holder
        self.onEnd = onEnd
        load = ViewLoad(of: view)
    }

    isolated deinit {
        end()
    }

    /// Ends the session, and says whether it had not ended before.
    @discardableResult
    func end() -> Bool {
        guard let onEnd else { return false }
        self.onEnd = nil
        onEnd()
        return true
    }
}

/// What the pool watches to learn that a page is gone.
final class PageHolder: Sendable {}
