// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import ResourceLoading

// Pages that stay white.
extension Container {
    /// Watches a page that opens.
    func watch(_ session: PageSession, at place: String, in view: Engine.View, _ load: ViewLoad) {
        guard let whitePages, switches.isOn(.whitePages) else { return }
        let host = PageWatch.Host { [switches] in
            switches.isOn(.whitePages)
        } isWatched: { [weak self] url in
            self?.isWatched(url, in: session) ?? false
        } isBusy: { [weak self] in
            self?.whitePages?.isBusy(session.id) == true || self?.sharedPages.isBusy(session.id) == true
        } isAsking: { [weak self] in
            self?.pageRequests.isWaiting(session.id) ?? false
        } weigh: { [weak self] in
            await self?.weigh($0, of: session.id) ?? $0
        } dropPackage: { [weak self] step, isWanted in
            await self?.dropPackages(of: session.id, for: step, while: isWanted) ?? false
        } tell: { [weak self] step in
            self?.tell(step, of: session.id)
        }
        do {
            try whitePages.begin(session, at: place, in: view, load: load, host: host)
        } catch {
            // A page that opens is worth more than one that is looked at.
            configuration.logger.warning("a page is not looked at", metadata: ["error": "\(error)"])
        }
    }

    /// Whether it counts how a document looks, by its URL in the engine.
    private func isWatched(_ place: String, in session: PageSession) -> Bool {
        let url = realURL(of: place)
        guard RealURL(url) != nil else { return false }
        return whitePages?.watchesPlainPages == true || session.mode != .plain && (place != url || covers(url))
    }

    private func tell(_ step: WhitePageStep, of page: PageID) {
        configuration.logger.warning(
            "a white page",
            metadata: [
                "page": "\(page)", "step": "\(step.kind.rawValue)", "signal": "\(step.signal.rawValue)",
                "number": "\(step.number)",
            ])
        hub.send(.whitePage(page, step))
    }
}
