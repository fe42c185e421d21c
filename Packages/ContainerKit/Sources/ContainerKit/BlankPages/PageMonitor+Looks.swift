// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import WebEngine

// Looks at the page, and what its script says.
extension PageMonitor {
    func examine() {
        work?.cancel()
        work = Task { [weak self] in
            let result = await self?.look()
            guard !Task.isCancelled, let self else { return }
            if isAsking { handle(.asks) }
            // One that began meanwhile: the page is not quiet.
            if host.isBusy() { handle(.activity) }
            handle(.examined(result ?? nil))
        }
    }

    /// Keeps the view no longer than it takes to begin.
    private func look() async -> ProbeResult? {
        guard hasScript, view != nil else { return nil }
        let shown = await channel.look(within: options.lookLimit)
        guard var result = shown, result.needsPicture(for: options.signals) else { return shown }
        // Of the view, and not of the page: it runs nothing there.
        let picture = Task { [weak view] in (try? await view?.snapshots?.snapshot().isUniform()) ?? nil }
        result.isUniform = await picture.value(within: options.lookLimit) ?? nil
        picture.cancel()
        return await host.attribute(result)
    }

    /// What the script of the page says.
    func receive(_ said: HealthScript.Message) {
        // What is told, and does not ask, may come from a document that the page cache has brought back.
        if !said.isNotification { handle(.spoke) }
        switch said.visible {
        case true? where said.isNotification: handle(.shown)
        case false?: handle(.hidden)
        default: break
        }
        if said.painted == true { handle(.painted) }
        if said.used == true { handle(.used) }
        if said.retry == true { handle(.retryAsked) }
    }

    /// Whether the page waits for what someone says to it: a person by a dialog, or the app by a message's answer.
    var isAsking: Bool {
        host.isAsking() || view?.scripting.pendingHandlers.contains { $0 != HealthScript.name } == true
    }
}
