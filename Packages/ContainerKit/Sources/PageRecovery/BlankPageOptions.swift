// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// When a page counts as white, and what may be done then; see ``BlankPageStep``.
///
/// A page is never touched for how it looks once it has painted something, as long as its picture is not of one colour,
/// where someone has typed or pressed something, while it is hidden, while it asks something of the ``PageDelegate`` or
/// waits for an answer of one of the host's message handlers, while a request of it waits, while another document is on
/// its way, while the app is away, or where the document is no HTML. A load that the host asks for, by
/// ``/WebEngine/ViewLoading/load(_:)`` and the like, takes the place of every step. A document that was asked for by
/// POST is not asked for again: of it there is only the error page. What happens while the app is away, or to a view
/// that is out of sight where the engine says so, is dealt with when it is back.
public struct BlankPageOptions: Sendable {
    /// Which signals count: all but `unresponsive`, `noFirstPaint` and `uniformPicture` by default, since a page may
    /// show nothing on purpose, while it waits for the app, or be at work for long. A process that ended, and a
    /// document that could not be had, count for each page, all else only for pages that are intercepted.
    public var signals: Set<BlankPageSignal> = [
        .processEnded, .loadFailed, .emptyDocument, .bootError, .failedResource,
    ]
    /// The most steps for one page, up to 3, which is the default; the last one is the error page. They are forgotten
    /// when someone asks to try again on it, or touches a page for a navigation after it was shown, and before it after
    /// ten minutes without one. The second one is a reload again where the first was of another document. A page that
    /// was well as its process ended, or of which nothing is known, is loaded anew without a step, as often in ten
    /// minutes.
    public var stepLimit = 3
    /// How long a page is left alone after it has loaded and its last request has ended; 3 seconds by default.
    public var grace = Duration.seconds(3)
    /// How long a page that has loaded may paint nothing after the last that was heard of it, until its errors count;
    /// 30 seconds by default, as the network may be slow.
    public var firstPaint = Duration.seconds(30)
    /// How long a page that paints nothing may go on loading, or have requests that wait for an answer or bring their
    /// bodies in drops, until it is looked at all the same, and left alone where a request still waits; 4 minutes by
    /// default.
    public var patience = Duration.seconds(240)
    /// Where `unresponsive` counts: how long a page that has painted nothing may not answer, as its script goes on
    /// without a pause, until its process is ended where the engine can; 3 minutes by default. A page that stands at a
    /// breakpoint does not answer either.
    public var silence = Duration.seconds(180)
    /// Whether pages that are not intercepted are looked at, too; false by default. It adds a script to them, in a
    /// world of its own.
    public var watchesPlainPages = false
    /// What the error page says.
    public var errorPage = ErrorPageText()
    /// How long a page may take to look at itself.
    var lookLimit = Duration.seconds(5)
    /// What times pages. By default the machine's clock without the time in which the machine sleeps.
    public var clock: any Clock<Duration> = SuspendingClock()

    /// The default options.
    public init() {}
}

/// The texts of the page that is shown in place of a white one, as plain text.
public struct ErrorPageText: Sendable, Hashable {
    /// The language of the texts, as in HTML's `lang`; `en` by default.
    public var language = "en"
    /// The heading, and the title.
    public var title = "This page could not be shown"
    /// A sentence below it.
    public var message = "Something went wrong on the way. Your connection may be gone, or the page may be broken."
    /// What the link says that tries again.
    public var retry = "Try again"

    /// The default texts, in English.
    public init() {}
}
