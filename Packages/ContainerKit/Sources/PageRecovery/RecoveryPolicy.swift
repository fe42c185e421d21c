// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// The steps that are taken for a page that stays white, in their order, and no more than there may be. A value.
struct RecoveryPolicy: Sendable {
    private let limit: Int
    private var count = 0
    private var lastAt = Duration.zero
    private var hasReloaded = false
    private var hasDropped = false
    /// The document that the steps were taken for.
    private var document: String?
    /// Whether the error page was shown, which only a person takes back.
    private var isSpent = false
    /// When pages that were well were loaded anew; the latest last.
    private var reloads: [Duration] = []

    /// After how long without a step those before are forgotten; and in what time pages that were well are loaded anew
    /// no more often than there are steps.
    private static let calm = Duration.seconds(600)

    init(limit: Int) {
        self.limit = min(max(limit, 0), 3)
    }

    /// Whether no step is left.
    var isOver: Bool { count >= limit }

    /// Which step is next; `nil` where none is left.
    /// - Parameters:
    ///   - mayRepeat: whether the document may be asked for once more.
    ///   - mayDrop: whether packages can be behind it.
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

    /// The step as it is told, should it be taken now.
    func step(_ kind: BlankPageStep.Kind, _ trouble: PageHealth.Trouble) -> BlankPageStep {
        BlankPageStep(
            kind: kind, signal: trouble.signal, detail: trouble.detail, number: count + 1, source: trouble.source)
    }

    /// The next step for a page that was well: a reload, which is none of the others, or the error page where there
    /// were too many; `nil` where there is none.
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

    /// A step is taken.
    mutating func record(_ step: BlankPageStep, at now: Duration) {
        guard !step.isFree else { return }
        (count, lastAt) = (count + 1, now)
        if step.kind == .showedErrorPage { isSpent = true }
    }

    /// The error page was to be shown, and is not: it counts as a step, which time takes back like any other.
    mutating func revertErrorPage() { isSpent = false }

    /// The packages were to be taken, and are not.
    mutating func keepPackages() { hasDropped = false }

    /// A person goes on from where the steps have led: all may be taken again. Nobody else may say so, or a page that
    /// lands at another URL each time would be loaded without end.
    mutating func renew() {
        guard isSpent else { return }
        (count, hasReloaded, hasDropped, document, isSpent, reloads) = (0, false, false, nil, false, [])
    }
}
