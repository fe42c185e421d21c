// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The conditions under which a page counts as blank, and the limits of its recovery; see ``BlankPageStep``.
///
/// A page that looks blank is not recovered in these cases:
/// - The page has painted something, and its snapshot has more than one colour.
/// - The user has typed or pressed something in the page, or the page is hidden.
/// - The page waits for an answer of the page delegate or of a message handler of the app.
/// - A request of the page is pending, or the page navigates to another document.
/// - The app is in the background or suspended.
/// - The document is not HTML.
///
/// A load that the app starts, for example with ``/WebEngine/ViewLoading/load(_:)``, replaces every step. A document
/// that was requested by POST is not requested again: its only step is the error page. A step is postponed while the
/// app is in the background or suspended, and while the view is not visible, if the engine reports visibility.
public struct BlankPageOptions: Sendable {
    /// The signals that lead to a step; by default all except `unresponsive`, `noFirstPaint` and `uniformPicture`. A
    /// page may cause those three if it is blank on purpose, waits for the app, or computes for a long time.
    ///
    /// `processEnded` and `loadFailed` apply to every page, all others only to intercepted pages.
    public var signals: Set<BlankPageSignal> = [
        .processEnded, .loadFailed, .emptyDocument, .bootError, .failedResource,
    ]
    /// The maximum number of steps for one page, from 0 to 3; 3 by default. The last step is the error page.
    ///
    /// The count restarts when the user retries on the error page, or starts a navigation by a gesture after the error
    /// page was shown. If the error page was not shown, the count restarts after ten minutes without a step. The second
    /// step is a reload again if the first step was for another document.
    ///
    /// If the process of a page ends, and there was no evidence that the page was blank, the reload is not counted. The
    /// same maximum applies to the number of these reloads in ten minutes.
    public var stepLimit = 3
    /// The time from the end of a page's load, or of its last request, to the first examination of the page; 3 seconds
    /// by default.
    public var grace = Duration.seconds(3)
    /// The time without a first paint after which the errors of a page count. It starts at the load of the page or at
    /// its last activity. The default is 30 seconds, because the network may be slow.
    public var firstPaint = Duration.seconds(30)
    /// The time after which a page without a first paint is examined although it still loads or has pending requests;
    /// 4 minutes by default. If a request is pending then, no step follows.
    public var patience = Duration.seconds(240)
    /// The time after which the process of an unresponsive page that has painted nothing is ended; 3 minutes by
    /// default. It applies only if ``signals`` contains `unresponsive` and the engine can end the process. A page
    /// that stops at a breakpoint is also unresponsive.
    public var silence = Duration.seconds(180)
    /// A Boolean value that indicates whether pages that are not intercepted are examined, too; `false` by default.
    /// If it is `true`, these pages get a script in an isolated world.
    public var watchesPlainPages = false
    /// The texts of the error page.
    public var errorPage = ErrorPageText()
    /// The time limit for the reply of the script in a page, and for a snapshot.
    var examinationLimit = Duration.seconds(5)
    /// The clock of all times; by default the system's clock that stops while the machine sleeps.
    public var clock: any Clock<Duration> = SuspendingClock()

    /// Creates the default options.
    public init() {}
}

/// The texts of the error page, as plain text.
public struct ErrorPageText: Sendable, Hashable {
    /// The language of the texts, as in the HTML attribute `lang`; `en` by default.
    public var language = "en"
    /// The heading and the title.
    public var title = "This page could not be shown"
    /// The sentence below the heading.
    public var message = "The page could not be loaded. The network connection may be lost, or the page may be faulty."
    /// The text of the link that reloads the page.
    public var retry = "Try again"

    /// Creates the default texts, in English.
    public init() {}
}
