// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Conclusions from examinations, and the steps that follow from them.
extension PageHealth {
    // MARK: Examinations

    /// Draws the conclusion from an examination.
    /// - Parameters:
    ///   - result: the result; `nil` if the page did not answer.
    ///   - now: the current time.
    mutating func judge(_ result: ProbeResult?, at now: Duration) -> [Action] {
        // The page may show the response that it waits for, however late.
        guard !isBusyLook else { return leaveAlone() }
        guard let seen = result else { return recordSilence(at: now) }
        (document.silence, document.hasSpoken) = (nil, true)
        if seen.isPainted { document.hasPainted = true }
        if seen.isHidden {
            // The page reports when it becomes visible.
            document.isHidden = true
            return []
        }
        guard seen.needsPicture(for: limits.signals), seen.isUniform != false else { return leaveAlone() }
        // Without a snapshot the appearance is unknown; the page only answers.
        guard seen.isUniform == true else { return lookLater(at: now) }
        guard !seen.isPainted else {
            guard phase == .finished || isLate(at: now) else { return lookLater(at: now) }
            return act(Trouble(signal: .uniformPicture, detail: "the picture has one colour"), at: now)
        }
        // A page may continue after an error, and may fill an empty document.
        let isQuiet = phase == .finished && now >= document.quietSince + limits.firstPaint
        if isQuiet, let trouble = limits.trouble(in: seen, of: document) { return act(trouble, at: now) }
        guard isQuiet || isLate(at: now) else { return lookLater(at: now) }
        guard limits.signals.contains(.noFirstPaint), seen.hasScripts, !seen.hasBackground else {
            // No activity is left that could change the page.
            return leaveAlone()
        }
        return act(Trouble(signal: .noFirstPaint, detail: "nothing was painted in time"), at: now)
    }

    /// Puts off the conclusion; leaves the page alone if its time is over.
    private mutating func lookLater(at now: Duration) -> [Action] {
        guard !isLate(at: now) else { return leaveAlone() }
        document.waitsForPaint = true
        let isDue = phase != .finished || now >= document.quietSince + limits.firstPaint
        wait(from: isDue ? now : document.quietSince, at: now)
        due = due.map { max($0, now + Limits.pause) }
        return []
    }

    /// Records that the page did not answer. A document that never sent a message, such as one of the page cache, is
    /// left alone.
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

    // MARK: Steps

    /// Returns the next step for a blank page.
    mutating func act(_ trouble: Trouble, at now: Duration) -> [Action] {
        let mayRepeat = !document.hasBody && trouble.signal != .loadFailed
        guard isOn, limits.signals.contains(trouble.signal),
            let kind = policy.next(
                for: document.url, mayRepeat: mayRepeat, mayDrop: !document.isLost, at: now)
        else { return leaveAlone() }
        return begin(policy.step(kind, trouble), at: now)
    }

    /// Returns the step for a page that was well when its process ended. The system most often ends the process of a
    /// page that has painted or is not visible, so that the page is reloaded, and its package is not responsible.
    mutating func endWell(_ trouble: Trouble, at now: Duration) -> [Action] {
        guard isOn, limits.signals.contains(trouble.signal), let step = policy.reload(trouble, at: now) else {
            return leaveAlone()
        }
        return begin(step, at: now)
    }

    private mutating func begin(_ step: BlankPageStep, at now: Duration) -> [Action] {
        showsNothing = true
        phase = step.kind == .showedErrorPage ? .errorPage : .recovering
        pending = step.kind == .reloadedWithoutPackage ? step : nil
        guard pending == nil else { return [.dropPackage(step)] }
        policy.record(step, at: now)
        return [.perform(step)]
    }

    /// Continues the pending step after its packages were dropped or kept.
    mutating func endDrop(_ event: Event, _ isDropped: Bool, at now: Duration) -> [Action] {
        guard let step = pending else { return [] }
        guard !isPaused else {
            held = event
            return []
        }
        pending = nil
        guard isDropped, isOn else {
            // The examination points to no package. If the process has ended, there is no document to leave alone.
            guard !step.signal.isOfLook else { return passOver() }
            return act(Trouble(signal: step.signal, detail: step.detail, source: step.source), at: now)
        }
        policy.record(step, at: now)
        return [.perform(step)]
    }

    /// Records that the document is well, regardless of earlier examinations.
    mutating func recordHealthy() {
        if let step = pending {
            // If the process has ended, there is no document that could be well.
            guard step.signal.isOfLook else { return }
            (pending, showsNothing) = (nil, false)
            policy.keepPackages()
        }
        leaveAlone()
    }

    /// Leaves a loaded document alone.
    private mutating func passOver() -> [Action] {
        showsNothing = false
        return leaveAlone()
    }

    /// Stops watching the document: it is well, or no step is left for it.
    @discardableResult
    mutating func leaveAlone() -> [Action] {
        guard phase != .errorPage else { return [] }
        (phase, due) = (.idle, nil)
        return []
    }
}
