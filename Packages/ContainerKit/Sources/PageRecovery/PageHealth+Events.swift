// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The value types of the state machine.
extension PageHealth {
    /// An event of a page.
    enum Event: Sendable, Hashable {
        /// A navigation began; `byPerson` if a user gesture started it.
        case started(url: String, byPerson: Bool)
        /// The app has started a load that the engine has not begun yet.
        case loadRequested(url: String)
        /// A document was committed; `isWatched` if it is examined.
        case committed(url: String, isWatched: Bool)
        /// The page and its resources have loaded.
        case finished
        /// The page, the user or the app stopped a load, or it became a download. The document stays.
        case loadStopped
        /// A navigation failed with a reason; `isReal` if the document could not be loaded, as opposed to being
        /// stopped or becoming a download.
        case loadFailed(String, isReal: Bool)
        /// The process ended, for a reason.
        case processEnded(String)
        /// The process ended, and the app has started a load since.
        case processReplaced
        /// The view became visible or invisible.
        case visibilityChanged(isVisible: Bool)
        /// A request or a resource of the page ended.
        case activity
        /// The next document is requested with a body. It precedes the response.
        case hasBody
        /// The response of the next document leaves it empty. It precedes the commit.
        case hasNoContent
        /// The script of the document sent a message and waits for a reply.
        case spoke
        /// The document has painted something.
        case painted
        /// The user has typed or pressed something before the first paint.
        case used
        /// The page is not visible.
        case hidden
        /// The page is visible again.
        case shown
        /// The page waits for an answer of the user or the app, for example to a dialog.
        case awaitsAnswer
        /// The result of an examination; `nil` if the page did not reply.
        case examined(ProbeResult?)
        /// The end of ``Action/dropPackage(_:)``; `true` if the page has lost packages.
        case packageDropped(Bool)
        /// The app has started a load, so the step was not performed.
        case stepOvertaken
        /// The user retries on the error page.
        case retryRequested
        /// The app reports that the page is healthy.
        case isWell
        /// The app went to the background or was suspended.
        case paused
        /// The app returned.
        case resumed
        /// ``PageHealth/deadline`` has passed; `isBusy` if a request of the page is pending.
        case clock(isBusy: Bool)
    }

    /// An action that results from an event.
    enum Action: Sendable, Hashable {
        /// Examine the page, then apply ``Event/examined(_:)``.
        case examine
        /// Unpin the responsible packages from the page, then apply ``Event/packageDropped(_:)``.
        case dropPackage(BlankPageStep)
        /// End the process of the unresponsive page. ``Event/processEnded(_:)`` follows.
        case endProcess
        /// Perform the step.
        case perform(BlankPageStep)
    }

    /// The state of the current document.
    struct Document: Sendable {
        /// The state of a document before its commit.
        struct PendingDocument: Sendable {
            var url = ""
            var hasBody = false
            var hasNoContent = false
        }

        let url: String
        /// A Boolean value that indicates whether the document was requested with a body.
        let hasBody: Bool
        /// A Boolean value that indicates whether the response leaves the document empty.
        let hasNoContent: Bool
        /// The time from which ``Limits/patience`` is measured.
        var since: Duration
        var finishedAt: Duration
        var lastActivity: Duration
        /// A Boolean value that indicates whether an examination was inconclusive.
        var waitsForPaint = false
        /// A Boolean value that indicates whether the script of the document has sent a message.
        var hasSpoken = false
        var hasPainted = false
        var isHidden = false
        /// The start of the silence, and the number of consecutive examinations without a reply.
        var silence: (since: Duration, count: Int)?
        /// A Boolean value that indicates whether the process ended before the commit of the document.
        var isLost = false
        /// The time at which the load of the document was stopped, if there is no later evidence about the document.
        var stoppedAt: Duration?

        init(_ pending: PendingDocument = PendingDocument(), at now: Duration = .zero) {
            (url, hasBody, hasNoContent) = (pending.url, pending.hasBody, pending.hasNoContent)
            (since, finishedAt, lastActivity) = (now, now, now)
        }

        /// A Boolean value that indicates whether there is no evidence that the document was blank when its process
        /// ended. There is also no evidence about a document whose script never sent a message, such as a document from
        /// the page cache.
        var mayHaveBeenWell: Bool { !isLost && (hasPainted || isHidden || !hasSpoken) }

        var quietSince: Duration { max(lastActivity, finishedAt) }
    }

    /// The options and limits of the state machine.
    struct Limits: Sendable {
        let signals: Set<BlankPageSignal>
        let grace: Duration
        let firstPaint: Duration
        let patience: Duration
        let silence: Duration

        /// The minimum number of consecutive examinations without a reply.
        static let silences = 2
        /// The minimum time between two examinations.
        static let pause = Duration.seconds(1)

        init(_ options: BlankPageOptions) {
            signals = options.signals
            grace = max(options.grace, .zero)
            firstPaint = max(options.firstPaint, .zero)
            patience = max(options.patience, .zero)
            silence = max(options.silence, .zero)
        }

        /// Returns the trouble of a loaded document that has painted nothing in time; `nil` if there is none.
        /// - Parameters:
        ///   - seen: the result of the examination, with only the errors and resources for which a package is
        ///     responsible.
        ///   - document: the document.
        func trouble(in seen: ProbeResult, of document: Document) -> Trouble? {
            if seen.isEmpty, seen.isPackaged, !document.hasNoContent, signals.contains(.emptyDocument) {
                return Trouble(signal: .emptyDocument, detail: "the document is empty")
            }
            guard !seen.hasBackground else { return nil }
            if let error = seen.bootErrors.first, signals.contains(.bootError) {
                return Trouble(signal: .bootError, detail: error.text, source: error.file)
            }
            if let url = seen.failedResources.first, signals.contains(.failedResource) {
                return Trouble(signal: .failedResource, detail: url, source: url)
            }
            return nil
        }
    }

    /// The reason for a step.
    struct Trouble: Sendable, Hashable {
        let signal: BlankPageSignal
        let detail: String
        /// The URL of the script or the resource that caused the signal, if there is one.
        var source: String?
    }
}
