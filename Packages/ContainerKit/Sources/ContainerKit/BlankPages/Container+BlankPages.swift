// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import PagePrompts
internal import ResourceLoading
internal import WebEngine

// Pages that stay white.
extension Container {
    /// Watches a page that opens.
    func monitor(_ session: PageSession, at place: String, in view: Engine.View, _ load: ViewLoad) {
        guard let blankPages, switches.isOn(.blankPages) else { return }
        let host = PageMonitor.Host { [switches] in
            switches.isOn(.blankPages)
        } isWatched: { [weak self] url in
            self?.isWatched(url, in: session) ?? false
        } isBusy: { [weak self] in
            self?.blankPages?.isBusy(session.id) == true || self?.sharedPages.isBusy(session.id) == true
        } isAsking: { [weak self] in
            self?.pageRequests.isWaiting(session.id) ?? false
        } attribute: { [weak self] in
            await self?.attribute($0, of: session.id) ?? $0
        } dropPackage: { [weak self] step, isWanted in
            await self?.dropPackages(of: session.id, for: step, while: isWanted) ?? false
        } send: { [weak self] step in
            self?.send(step, of: session.id)
        }
        do {
            try blankPages.begin(session, at: place, in: view, load: load, host: host)
        } catch {
            // A page that opens is worth more than one that is looked at.
            configuration.logger.warning("a page is not looked at", metadata: ["error": "\(error)"])
        }
    }

    /// Whether it counts how a document looks, by its URL in the engine.
    private func isWatched(_ place: String, in session: PageSession) -> Bool {
        let url = realURL(of: place)
        guard RealURL(url) != nil else { return false }
        return blankPages?.watchesPlainPages == true || session.mode != .plain && (place != url || covers(url))
    }

    private func send(_ step: BlankPageStep, of page: PageID) {
        configuration.logger.warning(
            "a white page",
            metadata: [
                "page": "\(page)", "step": "\(step.kind.rawValue)", "signal": "\(step.signal.rawValue)",
                "number": "\(step.number)",
            ])
        hub.send(.blankPage(page, step))
    }
}
