// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// When a page counts as white, and what may be done then; see ``WhitePageStep``.
///
/// A page is never touched for how it looks once it has painted something, as long as its picture is not of one colour,
/// where someone has typed or pressed something, while it is hidden, while the app is away, while a request of it waits
/// for its answer, or where the document is no HTML. A document that was asked for by POST, or by a form, is not asked
/// for again: of it there is only the error page.
public struct WhitePageOptions: Sendable {
    /// Which signals count: all but `uniformPicture` by default. A process that ended counts for each page, all else
    /// only for pages that are intercepted.
    public var signals = Set(WhitePageSignal.allCases).subtracting([.uniformPicture])
    /// The most steps in a row for one page, up to 3, which is the default; the last one is the error page. They are
    /// forgotten when someone asks to try again, and once the page has come to another document that is well.
    public var stepLimit = 3
    /// How long a page is left alone after it has loaded and its last request has ended; 3 seconds by default.
    public var grace = Duration.seconds(3)
    /// How long a page may paint nothing after the last that was heard of it; 30 seconds by default, as the network may
    /// be slow.
    public var firstPaint = Duration.seconds(30)
    /// Whether pages that are not intercepted are looked at, too; false by default. It adds a script to them, in a
    /// world of its own.
    public var watchesPlainPages = false
    /// What the error page says.
    public var errorPage = ErrorPageText()
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
