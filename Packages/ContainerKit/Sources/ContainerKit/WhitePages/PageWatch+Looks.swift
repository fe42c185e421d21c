// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

// Looks at the page, and what its script says.
extension PageWatch {
    func examine() {
        work?.cancel()
        work = Task { [weak self] in
            let examination = await self?.look()
            guard !Task.isCancelled, let self else { return }
            if isAsking { take(.asks) }
            // One that began meanwhile: the page is not quiet.
            if host.isBusy() { take(.activity) }
            take(.examined(examination ?? nil))
        }
    }

    /// Keeps the view no longer than it takes to begin.
    private func look() async -> PageExamination? {
        guard hasScript, view != nil else { return nil }
        let shown = await conversation.look(within: options.lookLimit)
        guard var examination = shown, examination.needsPicture(for: options.signals) else { return shown }
        // Of the view, and not of the page: it runs nothing there.
        let picture = Task { [weak view] in (try? await view?.snapshot().isUniform()) ?? nil }
        examination.isUniform = await outcome(of: picture, within: options.lookLimit) ?? nil
        picture.cancel()
        return await host.weigh(examination)
    }

    /// What the script of the page says.
    func hear(_ said: HealthScript.Message) {
        // What is told, and does not ask, may come from a document that the page cache has brought back.
        if !said.isNews { take(.spoke) }
        switch said.visible {
        case true? where said.isNews: take(.shown)
        case false?: take(.hidden)
        default: break
        }
        if said.painted == true { take(.painted) }
        if said.used == true { take(.used) }
        if said.retry == true { take(.retryAsked) }
    }

    /// Whether the page waits for what someone says to it: a person by a dialog, or the app by a message's answer.
    var isAsking: Bool {
        host.isAsking() || view?.owingHandlers.contains { $0 != HealthScript.name } == true
    }
}
