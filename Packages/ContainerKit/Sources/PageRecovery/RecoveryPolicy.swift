// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The policy that decides the next step for a blank page, and limits the number of steps.
struct RecoveryPolicy: Sendable {
    private let limit: Int
    private var count = 0
    private var lastAt = Duration.zero
    private var hasReloaded = false
    private var hasDropped = false
    /// The document of the last step.
    private var document: String?
    /// A Boolean value that indicates whether the error page was shown. Only a user gesture resets it.
    private var isSpent = false
    /// The times of the reloads that did not count, in order.
    private var reloads: [Duration] = []

    /// The time without a step after which the count restarts. It is also the period in which ``limit`` applies to
    /// reloads that do not count.
    private static let calm = Duration.seconds(600)

    init(limit: Int) {
        self.limit = min(max(limit, 0), 3)
    }

    /// A Boolean value that indicates whether no further step is allowed.
    var isOver: Bool { count >= limit }

    /// Returns the kind of the next step; `nil` if no further step is allowed.
    /// - Parameters:
    ///   - document: the URL of the document in the engine.
    ///   - mayRepeat: a Boolean value that indicates whether the document may be requested again.
    ///   - mayDrop: a Boolean value that indicates whether packages can be responsible.
    ///   - now: the current time.
    mutating func next(
        for document: String, mayRepeat: Bool, mayDrop: Bool, at now: Duration
    ) -> BlankPageStep.Kind? {
        age(to: now)
        guard !isOver else { return nil }
        if document != self.document { (hasReloaded, hasDropped) = (false, false) }
        self.document = document
        guard mayRepeat, count < limit - 1 else { return .showedErrorPage }
        if !hasReloaded {
            hasReloaded = true
            return .reloaded
        }
        guard mayDrop, !hasDropped else { return .showedErrorPage }
        hasDropped = true
        return .reloadedWithoutPackage
    }

    /// Returns the value of a step that is performed now.
    func step(_ kind: BlankPageStep.Kind, _ trouble: PageHealth.Trouble) -> BlankPageStep {
        BlankPageStep(
            kind: kind, signal: trouble.signal, detail: trouble.detail, number: count + 1, source: trouble.source)
    }

    /// Returns the next step for a page that was healthy: a reload that does not count, or the error page after too
    /// many of these reloads. Returns `nil` if no further step is allowed.
    mutating func reload(_ trouble: PageHealth.Trouble, at now: Duration) -> BlankPageStep? {
        age(to: now)
        guard !isOver else { return nil }
        reloads.removeAll { now - $0 >= Self.calm }
        guard limit > 1, reloads.count < limit else { return step(.showedErrorPage, trouble) }
        reloads.append(now)
        return BlankPageStep(
            kind: .reloaded, signal: trouble.signal, detail: trouble.detail, number: 0, source: trouble.source,
            isFree: true)
    }

    private mutating func age(to now: Duration) {
        if now - lastAt >= Self.calm, !isSpent { (count, hasReloaded, hasDropped) = (0, false, false) }
    }

    /// Records a step that is performed.
    mutating func record(_ step: BlankPageStep, at now: Duration) {
        guard !step.isFree else { return }
        (count, lastAt) = (count + 1, now)
        if step.kind == .showedErrorPage { isSpent = true }
    }

    /// Records that a load of the app replaced the error page. The step still counts, until the count restarts after a
    /// time without steps.
    mutating func revertErrorPage() { isSpent = false }

    /// Records that the packages are not unpinned from the page.
    mutating func keepPackages() { hasDropped = false }

    /// Restarts the count after a user gesture on the error page. Without the requirement of a gesture, a page that
    /// navigates to another URL each time would be reloaded endlessly.
    mutating func renew() {
        guard isSpent else { return }
        (count, hasReloaded, hasDropped, document, isSpent, reloads) = (0, false, false, nil, false, [])
    }
}
