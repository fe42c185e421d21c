// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

extension PageHealth {
    /// What is known of the document that is there.
    struct Document: Sendable {
        /// What is known of one before it is there.
        struct Asked: Sendable {
            var url = ""
            var hasBody = false
            var hasNoContent = false
        }

        let url: String
        /// Whether it was asked for with a body.
        let hasBody: Bool
        /// Whether its server says that it is empty.
        let hasNoContent: Bool
        /// Since when it has its time.
        var since: Duration
        var finishedAt: Duration
        var lastActivity: Duration
        /// Whether a first look left it open.
        var waitsForPaint = false
        var hasSpoken = false
        var hasPainted = false
        var isHidden = false
        /// Since when it does not answer, and how often in a row it did not.
        var silence: (since: Duration, count: Int)?
        /// Whether its process ended before it was there.
        var isLost = false

        init(_ asked: Asked = Asked(), at now: Duration = .zero) {
            (url, hasBody, hasNoContent) = (asked.url, asked.hasBody, asked.hasNoContent)
            (since, finishedAt, lastActivity) = (now, now, now)
        }

        /// Whether nothing speaks against it, should its process end: of one without a script, or of the page cache, nothing
        /// is known.
        var mayHaveBeenWell: Bool { !isLost && (hasPainted || isHidden || !hasSpoken) }

        var quietSince: Duration { max(lastActivity, finishedAt) }
    }

    /// The numbers that it goes by.
    struct Limits: Sendable {
        let signals: Set<BlankPageSignal>
        let grace: Duration
        let firstPaint: Duration
        let patience: Duration
        let silence: Duration

        /// How many looks in a row may stay without an answer at least.
        static let silences = 2
        /// How long it is at least until a page is looked at again.
        static let pause = Duration.seconds(1)

        init(_ options: BlankPageOptions) {
            signals = options.signals
            grace = max(options.grace, .zero)
            firstPaint = max(options.firstPaint, .zero)
            patience = max(options.patience, .zero)
            silence = max(options.silence, .zero)
        }

        /// What a look has shown of a document that has loaded, had its time to paint, and painted nothing. An error,
        /// or a resource that is lost, is among what the look has shown only where a package is behind it.
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

    /// What is wrong with a page.
    struct Trouble: Sendable, Hashable {
        let signal: BlankPageSignal
        let detail: String
        /// The URL that it is laid to, where there is one.
        var source: String?
    }
}
