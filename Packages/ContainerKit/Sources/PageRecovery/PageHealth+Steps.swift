// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What is done about a page.
extension PageHealth {
    mutating func act(_ trouble: Trouble, at now: Duration) -> [Action] {
        let mayRepeat = !document.hasBody && trouble.signal != .loadFailed
        guard isOn, limits.signals.contains(trouble.signal),
            let kind = policy.next(
                for: document.url, mayRepeat: mayRepeat, mayDrop: !document.isLost, at: now)
        else { return leaveAlone() }
        return begin(policy.step(kind, trouble), at: now)
    }

    /// A process that ends with a page that has painted, or is out of sight, has most often ended for what the system
    /// wants: the page is loaded anew, and its package has no part in it.
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

    mutating func endDrop(_ event: Event, _ isDropped: Bool, at now: Duration) -> [Action] {
        guard let step = pending else { return [] }
        guard !isPaused else {
            held = event
            return []
        }
        pending = nil
        guard isDropped, isOn else {
            // What a look has shown is laid to no package; and where there is no process there is nothing to leave
            // alone.
            guard !step.signal.isOfLook else { return passOver() }
            return act(Trouble(signal: step.signal, detail: step.detail, source: step.source), at: now)
        }
        policy.record(step, at: now)
        return [.perform(step)]
    }

    /// The document is well, whatever a look has shown before.
    mutating func recordHealthy() {
        if let step = pending {
            // Where the process has ended there is no document that could be well.
            guard step.signal.isOfLook else { return }
            (pending, showsNothing) = (nil, false)
            policy.keepPackages()
        }
        leaveAlone()
    }

    /// Nothing is done about a document that is there.
    private mutating func passOver() -> [Action] {
        showsNothing = false
        return leaveAlone()
    }

    /// Watches the document no more: it is well, or nothing is to be done about it.
    @discardableResult
    mutating func leaveAlone() -> [Action] {
        guard phase != .errorPage else { return [] }
        (phase, due) = (.idle, nil)
        return []
    }
}
