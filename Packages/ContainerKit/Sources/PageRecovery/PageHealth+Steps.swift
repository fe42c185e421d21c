// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// The evaluation of examinations, and the steps that follow.
extension PageHealth {
    // MARK: Examinations

    /// Evaluates the result of an examination.
    /// - Parameters:
    ///   - result: the result; `nil` if the page did not reply.
    ///   - now: the current time.
    mutating func evaluate(_ result: ProbeResult?, at now: Duration) -> [Action] {
        // The page is left alone, because it may still show the response to the pending request after a long time.
        guard !isBusyExamination else { return stopExamining() }
        guard let seen = result else { return recordSilence(at: now) }
        (document.silence, document.hasSpoken) = (nil, true)
        if seen.isPainted { document.hasPainted = true }
        if seen.isHidden {
            // The page reports when it becomes visible.
            document.isHidden = true
            return []
        }
        guard seen.needsPicture(for: limits.signals), seen.isUniform != false else { return stopExamining() }
        // Without a snapshot the appearance is unknown. Only the responsiveness of the page is established.
        guard seen.isUniform == true else { return postpone(at: now) }
        guard !seen.isPainted else {
            guard phase == .finished || isLate(at: now) else { return postpone(at: now) }
            return act(Trouble(signal: .uniformPicture, detail: "the picture has one colour"), at: now)
        }
        // Wait until the page is quiet, because it may continue after an error or fill an empty document.
        let isQuiet = phase == .finished && now >= document.quietSince + limits.firstPaint
        if isQuiet, let trouble = limits.trouble(in: seen, of: document) { return act(trouble, at: now) }
        guard isQuiet || isLate(at: now) else { return postpone(at: now) }
        guard limits.signals.contains(.noFirstPaint), seen.hasScripts, !seen.hasBackground else {
            // The page has no scripts that could change it.
            return stopExamining()
        }
        return act(Trouble(signal: .noFirstPaint, detail: "nothing was painted in time"), at: now)
    }

    /// Postpones the evaluation. Leaves the page alone if its patience is over.
    private mutating func postpone(at now: Duration) -> [Action] {
        guard !isLate(at: now) else { return stopExamining() }
        document.waitsForPaint = true
        let isDue = phase != .finished || now >= document.quietSince + limits.firstPaint
        wait(from: isDue ? now : document.quietSince, at: now)
        due = due.map { max($0, now + Limits.pause) }
        return []
    }

    /// Records that the page did not reply. A document that never sent a message, such as a document from the page
    /// cache, is left alone.
    private mutating func recordSilence(at now: Duration) -> [Action] {
        guard document.hasSpoken else { return stopExamining() }
        let silence = (since: document.silence?.since ?? now, count: (document.silence?.count ?? 0) + 1)
        document.silence = silence
        document.waitsForPaint = true
        due = now + min(limits.firstPaint, limits.silence)
        guard now - silence.since >= limits.silence, silence.count >= Limits.silences else { return [] }
        let canEnd = isOn && limits.signals.contains(.unresponsive) && !document.hasPainted && !policy.isOver
        stopExamining()
        guard canEnd else { return [] }
        isEndingProcess = true
        return [.endProcess]
    }

    // MARK: Steps

    /// Returns the actions of the next step for a blank page.
    mutating func act(_ trouble: Trouble, at now: Duration) -> [Action] {
        let mayRepeat = !document.hasBody && trouble.signal != .loadFailed
        guard isOn, limits.signals.contains(trouble.signal),
            let kind = policy.next(
                for: document.url, mayRepeat: mayRepeat, mayDrop: !document.isLost, at: now)
        else { return stopExamining() }
        return begin(policy.step(kind, trouble), at: now)
    }

    /// Returns the actions for a page whose process ended without evidence that the page was blank. The system most
    /// often ends the process of a page that has painted or is not visible. The page is therefore reloaded, and its
    /// package is not considered responsible.
    mutating func endWell(_ trouble: Trouble, at now: Duration) -> [Action] {
        guard isOn, limits.signals.contains(trouble.signal), let step = policy.reload(trouble, at: now) else {
            return stopExamining()
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

    /// Continues the pending step after its packages were or were not unpinned.
    mutating func endDrop(_ event: Event, _ isDropped: Bool, at now: Duration) -> [Action] {
        guard let step = pending else { return [] }
        guard !isPaused else {
            held = event
            return []
        }
        pending = nil
        guard isDropped, isOn else {
            // No package is responsible. A loaded document is left alone. After the end of a process, the next step
            // follows, because there is no document.
            guard !step.signal.isExaminationResult else { return ignoreDocument() }
            return act(Trouble(signal: step.signal, detail: step.detail, source: step.source), at: now)
        }
        policy.record(step, at: now)
        return [.perform(step)]
    }

    /// Records that the document is healthy, regardless of earlier examinations.
    mutating func recordHealthy() {
        document.stoppedAt = nil
        if let step = pending {
            // If the process has ended, there is no document that could be healthy.
            guard step.signal.isExaminationResult else { return }
            (pending, showsNothing) = (nil, false)
            policy.keepPackages()
        }
        stopExamining()
    }

    /// Leaves a loaded document alone.
    private mutating func ignoreDocument() -> [Action] {
        showsNothing = false
        return stopExamining()
    }

    /// Stops examining the document, because it is healthy or no further step exists for it.
    @discardableResult
    mutating func stopExamining() -> [Action] {
        guard phase != .errorPage else { return [] }
        (phase, due) = (.idle, nil)
        return []
    }
}
