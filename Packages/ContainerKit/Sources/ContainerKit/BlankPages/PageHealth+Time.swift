// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// When a page is looked at.
extension PageHealth {
    /// When a ``Event/clock(isBusy:)`` is due.
    var deadline: Duration? { isPaused || isExamining || isOnWay || document.isHidden || !isWatching ? nil : due }

    /// Says when to look next.
    /// - Parameter time: from when on it is counted.
    mutating func wait(from time: Duration, at now: Duration) {
        // A page that is never quiet is looked at, too.
        let wish =
            phase == .finished && !document.waitsForPaint
            ? min(time + limits.grace, document.finishedAt + limits.firstPaint) : time + limits.firstPaint
        due = min(wish, max(document.since + limits.patience, now))
    }

    /// The document has its whole time again, and what a look may find that is under way does not count.
    mutating func renewTime(at now: Duration) {
        (document.since, document.finishedAt, document.lastActivity) = (now, now, now)
        (document.silence, document.waitsForPaint, isExamining) = (nil, false, false)
        wait(from: now, at: now)
    }

    mutating func look(isBusy: Bool, at now: Duration) -> [Action] {
        guard isOn, let deadline, deadline <= now else { return [] }
        guard isBusy, !isLate(at: now) else {
            (isExamining, isBusyLook) = (true, isBusy)
            return [.examine]
        }
        // The end of the request is heard of as activity, if it is this page's.
        due = min(now + max(limits.grace, limits.firstPaint / 3), document.since + limits.patience)
        return []
    }

    func isLate(at now: Duration) -> Bool { now >= document.since + limits.patience }
}
