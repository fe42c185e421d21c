// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// What is done about a page.
extension PageHealth {
    mutating func act(_ signal: WhitePageSignal, _ detail: String, at now: Duration) -> [Action] {
        let mayRepeat = !document.hasBody && signal != .loadFailed
        guard limits.signals.contains(signal),
            let kind = ladder.next(
                for: document.url, mayRepeat: mayRepeat, mayDrop: !document.isLost, at: now)
        else {
            leaveAlone()
            return []
        }
        showsNothing = true
        let step = ladder.step(kind, signal, detail)
        phase = kind == .showedErrorPage ? .errorPage : .recovering
        pending = kind == .reloadedWithoutPackage ? step : nil
        guard pending == nil else { return [.dropPackage(step)] }
        ladder.note(kind, at: now)
        return [.take(step)]
    }

    mutating func endDrop(_ event: Event, _ isDropped: Bool, at now: Duration) -> [Action] {
        guard let step = pending else { return [] }
        guard !isPaused else {
            held = event
            return []
        }
        pending = nil
        guard isDropped else { return act(step.signal, step.detail, at: now) }
        ladder.note(step.kind, at: now)
        return [.take(step)]
    }

    /// Watches the document no more: it is well, or nothing is to be done about it.
    mutating func leaveAlone() {
        guard phase != .errorPage else { return }
        (phase, due) = (.idle, nil)
    }
}
