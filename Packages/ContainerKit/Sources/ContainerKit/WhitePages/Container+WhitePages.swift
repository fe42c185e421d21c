// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import OfflinePackage
internal import ResourceLoading

// Pages that stay white.
extension Container {
    /// Watches a page that opens.
    func watch(_ session: PageSession, at place: String, in view: Engine.View, _ load: ViewLoad) throws {
        guard let whitePages, switches.isOn(.whitePages) else { return }
        let host = PageWatch.Host { [weak self] url in
            self?.isWatched(url, in: session) ?? false
        } isBusy: { [weak self] in
            self?.whitePages?.isBusy(session.id) == true || self?.sharedPages.isBusy(session.id) == true
        } isAsking: { [weak self] in
            self?.pageRequests.isWaiting(session.id) ?? false
        } isPackaged: { [weak self] in
            self?.generations(answering: session.id).isEmpty == false
        } dropPackage: { [weak self] reason, isWanted in
            await self?.dropPackages(of: session.id, because: reason, while: isWanted) ?? false
        } tell: { [weak self] step in
            self?.tell(step, of: session.id)
        }
        try whitePages.begin(session, at: place, in: view, load: load, host: host)
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

    /// Those that have answered a page's document.
    private func generations(answering page: PageID) -> Set<GenerationReference> {
        guard let session = sessions.values.first(where: { $0.id == page }) else { return [] }
        return packages.generations(answering: session.reference)
    }

    /// Marks the generations that answered a page's document as failed, so that one on trial is rolled back, and takes
    /// them from the page, unless it has gone on to another document meanwhile.
    /// - Returns: whether another answer is to be expected now.
    private func dropPackages(
        of page: PageID, because reason: String, while isWanted: @MainActor () -> Bool
    ) async -> Bool {
        let used = generations(answering: page)
        guard isWanted(), !used.isEmpty, let session = sessions.values.first(where: { $0.id == page }) else {
            return false
        }
        await packages.condemn(current(session).reference, because: reason, clock: whitePages?.clock)
        guard isWanted(), packages.library.repin(page, without: used),
            let session = sessions.values.first(where: { $0.id == page })
        else { return false }
        keep(current(session))
        await engineCaches?.settle(for: current(session))
        return sessions.values.contains { $0.id == page }
    }
}
