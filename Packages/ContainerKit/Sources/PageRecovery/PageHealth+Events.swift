// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PageHealth {
    /// What happens to a page.
    enum Event: Sendable, Hashable {
        /// A navigation began.
        /// - byPerson: whether someone has touched the page for it.
        case started(url: String, byPerson: Bool)
        /// The host has asked for a load, which has not begun yet.
        case loadAsked(url: String)
        /// A document is there.
        /// - isWatched: whether how it looks counts.
        case committed(url: String, isWatched: Bool)
        case finished
        /// A navigation failed.
        /// - isReal: whether the document could not be had; otherwise it was stopped, or became a download.
        case loadFailed(String, isReal: Bool)
        case processEnded(String)
        /// The process ended, and the host has asked for a load since.
        case processReplaced
        /// The view came in sight, or went out of it.
        case visibilityChanged(isVisible: Bool)
        /// A request or a resource of the page ended.
        case activity
        /// A document on its way is asked for with a body: said before its answer is there.
        case hasBody
        /// A document on its way is empty because its server says so: said before it is there.
        case hasNoContent
        /// The document's script has begun, and asks what to do.
        case spoke
        /// The document has painted something.
        case painted
        /// Someone has typed or pressed something, before anything was painted.
        case used
        /// The page is not in sight.
        case hidden
        /// It is again.
        case shown
        /// The page waits for what someone says to it: a dialog, a permission.
        case asks
        /// What a look has shown; `nil` where the page did not answer.
        case examined(ProbeResult?)
        /// Whether the page has lost the packages that are behind its document.
        case packageDropped(Bool)
        /// In place of the step that was to be taken the host has asked for a load.
        case stepOvertaken
        /// Someone asks to try again.
        case retryAsked
        /// The host knows better.
        case isWell
        case paused
        case resumed
        /// Time went by.
        /// - isBusy: whether a request of the page waits for its answer.
        case clock(isBusy: Bool)
    }

    /// What is to be done about it.
    enum Action: Sendable, Hashable {
        /// Look at the page, and tell.
        case examine
        /// Take what is behind the page's document from the page, and tell.
        case dropPackage(BlankPageStep)
        /// End the page's process, which does not answer; its end is told like any other.
        case endProcess
        /// Take this step.
        case perform(BlankPageStep)
    }
}
