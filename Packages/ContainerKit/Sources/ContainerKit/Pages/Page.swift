// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Diagnostics
public import WebEngine

/// An open page. The page closes when its last reference is released.
///
/// Isolation: the main actor.
@MainActor
public final class Page<View: EngineView> {
    /// The session at the time when the page was opened.
    public let session: PageSession
    /// The view that shows the page. After the page is closed, the view has ended or belongs to another page.
    public let view: View
    /// The time that the check-out of the view took.
    public let checkOut: Duration
    /// The load of the view.
    public let load: ViewLoad
    /// The timeline of the page so far, or the complete timeline after the page is closed. `nil` if
    /// ``ContainerConfiguration/Diagnostics/timelines`` is `nil`.
    public var timeline: PageTimeline? { timelineSource?() }
    /// A closure that returns the timeline of the page; `nil` if no timeline is recorded.
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

    deinit {
        guard let onEnd else { return }
        // The pool does not take the view back until the page has ended.
        MainActor.runInDeinit { [holder] in
            onEnd()
            withExtendedLifetime(holder) {}
        }
    }

    /// Ends the session. Returns `false` if it had ended before.
    @discardableResult
    func end() -> Bool {
        guard let onEnd else { return false }
        self.onEnd = nil
        onEnd()
        return true
    }
}

/// The object whose release returns the view of a page to the pool.
final class PageHolder: Sendable {}
