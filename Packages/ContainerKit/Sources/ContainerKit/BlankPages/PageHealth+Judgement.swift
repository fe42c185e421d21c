// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What a look says of a page.
extension PageHealth {
    mutating func judge(_ result: ProbeResult?, at now: Duration) -> [Action] {
        // What it waits for may be what it is to show, however late.
        guard !isBusyLook else { return leaveAlone() }
        guard let seen = result else { return recordSilence(at: now) }
        (document.silence, document.hasSpoken) = (nil, true)
        if seen.isPainted { document.hasPainted = true }
        if seen.isHidden {
            // The page tells when it is shown.
            document.isHidden = true
            return []
        }
        guard seen.needsPicture(for: limits.signals), seen.isUniform != false else { return leaveAlone() }
        // Without a picture nothing is known of how it looks, only that it answers.
        guard seen.isUniform == true else { return lookLater(at: now) }
        guard !seen.isPainted else {
            guard phase == .finished || isLate(at: now) else { return lookLater(at: now) }
            return act(Trouble(signal: .uniformPicture, detail: "the picture has one colour"), at: now)
        }
        // A page may go on after an error, and fill a document that is empty.
        let isQuiet = phase == .finished && now >= document.quietSince + limits.firstPaint
        if isQuiet, let trouble = limits.trouble(in: seen, of: document) { return act(trouble, at: now) }
        guard isQuiet || isLate(at: now) else { return lookLater(at: now) }
        guard limits.signals.contains(.noFirstPaint), seen.hasScripts, !seen.hasBackground else {
            // Nothing that is on its way would change it.
            return leaveAlone()
        }
        return act(Trouble(signal: .noFirstPaint, detail: "nothing was painted in time"), at: now)
    }

    /// What was seen decides nothing yet; and nothing at all once the page has had its time.
    private mutating func lookLater(at now: Duration) -> [Action] {
        guard !isLate(at: now) else { return leaveAlone() }
        document.waitsForPaint = true
        let isDue = phase != .finished || now >= document.quietSince + limits.firstPaint
        wait(from: isDue ? now : document.quietSince, at: now)
        due = due.map { max($0, now + Limits.pause) }
        return []
    }

    /// Busy, or gone before it could answer. Of a document that never spoke, as one of the page cache, nothing is
    /// known.
    private mutating func recordSilence(at now: Duration) -> [Action] {
        guard document.hasSpoken else { return leaveAlone() }
        let silence = (since: document.silence?.since ?? now, count: (document.silence?.count ?? 0) + 1)
        document.silence = silence
        document.waitsForPaint = true
        due = now + min(limits.firstPaint, limits.silence)
        guard now - silence.since >= limits.silence, silence.count >= Limits.silences else { return [] }
        let canEnd = isOn && limits.signals.contains(.unresponsive) && !document.hasPainted && !policy.isOver
        leaveAlone()
        guard canEnd else { return [] }
        isEndingProcess = true
        return [.endProcess]
    }
}
