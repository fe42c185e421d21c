// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@testable import PageRecovery

/// The health of a page and the time, without an engine.
final class Patient {
    var health: PageHealth
    var now = Duration.zero
    var steps: [BlankPageStep] = []
    /// A Boolean value that indicates whether the page has packages that it can lose.
    var hasPackages = true

    init(_ change: (inout BlankPageOptions) -> Void = { _ in }) {
        var options = BlankPageOptions()
        change(&options)
        health = PageHealth(options)
    }

    /// Applies events and performs the resulting actions, except examinations.
    @discardableResult
    func apply(_ events: PageHealth.Event...) -> [PageHealth.Action] {
        var all: [PageHealth.Action] = []
        for event in events {
            let actions = health.apply(event, at: now)
            all += actions
            for action in actions {
                switch action {
                case .examine, .endProcess: break
                case .dropPackage:
                    all += apply(.packageDropped(hasPackages))
                    hasPackages = false
                case .perform(let step): steps.append(step)
                }
            }
        }
        return all
    }

    /// Begins a navigation without a gesture of the user.
    @discardableResult
    func start(_ url: String = "https://a.example/") -> [PageHealth.Action] {
        apply(.started(url: url, byPerson: false))
    }

    /// Commits a document whose script sends its first message.
    func commit(_ url: String = "https://a.example/", isWatched: Bool = true) {
        start(url)
        apply(.committed(url: url, isWatched: isWatched), .spoke)
    }

    func load(_ url: String = "https://a.example/", isWatched: Bool = true) {
        commit(url, isWatched: isWatched)
        apply(.finished)
    }

    /// Advances the time until an examination is due, and applies its result.
    /// - Returns: `false` if no examination is due.
    @discardableResult
    func look(_ result: ProbeResult?) -> Bool {
        guard let deadline = health.deadline else { return false }
        now = max(now, deadline)
        guard apply(.clock(isBusy: false)) == [.examine] else { return false }
        apply(.examined(result))
        return true
    }

    /// Applies the result of examinations until a step is performed or no examination is due.
    func watch(_ result: ProbeResult?) {
        let before = steps.count
        while steps.count == before, look(result) {}
    }

    var kinds: [BlankPageStep.Kind] { steps.map(\.kind) }
}

extension ProbeResult {
    static let white = ProbeResult(isUniform: true)
    static let empty = ProbeResult(isEmpty: true, isPackaged: true, isUniform: true)
    static let broken = ProbeResult(
        hasScripts: true, bootErrors: [.boot], isPackaged: true, isUniform: true)
    static let incomplete = ProbeResult(
        hasScripts: true, failedResources: ["https://a.example/app.js"], isUniform: true)
    static let painted = ProbeResult(isPainted: true, hasScripts: true)
}

extension ScriptFailure {
    static let boot = ScriptFailure(text: "Error: boot", file: "https://a.example/boot.js")
}
