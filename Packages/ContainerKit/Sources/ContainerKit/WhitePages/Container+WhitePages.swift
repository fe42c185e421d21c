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
            await self?.suspects(of: session.id).isEmpty == false
        } dropPackage: { [weak self] step, isWanted in
            await self?.dropPackages(of: session.id, for: step, while: isWanted) ?? false
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

    /// The generations that are behind how a page's document looks: it lies under their base URL, and they have given it,
    /// or something that it loads. A package of another site, or one that several share, is not taken for what a page shows.
    private func suspects(of page: PageID) async -> Set<GenerationReference> {
        guard let url = session(of: page)?.documentURL else { return [] }
        let library = packages.library
        let covering = library.generations(of: page, covering: url)
        guard !covering.isEmpty else { return [] }
        let answering = await library.generation(of: page, answering: url)
        return Set(covering.filter { $0 == answering || packages.hasNoted($0, of: page) })
    }

    /// Those of them that are to blame for what was seen. What could not be loaded is to blame on a generation only where
    /// it lies under its base URL, and where its server says that there is no such thing.
    private func suspects(of page: PageID, for step: WhitePageStep) async -> Set<GenerationReference> {
        let all = await suspects(of: page)
        guard step.signal == .failedResource else { return all }
        let url = realURL(of: step.detail)
        guard whitePages?.isUnreachable(url) == false else { return [] }
        return all.intersection(packages.library.generations(of: page, covering: url))
    }

    private func session(of page: PageID) -> PageSession? { sessions.values.first { $0.id == page } }

    /// Takes the generations that are behind a page's document from the page, unless it has gone on to another document
    /// meanwhile. Where it is the page itself that showed what is wrong, they are marked as failed before, so that one on
    /// trial is rolled back.
    ///
    /// Nothing happens where the page would get the same again, as the pages over loopback while there are several.
    /// - Returns: whether another answer is to be expected now.
    private func dropPackages(
        of page: PageID, for step: WhitePageStep, while isWanted: @MainActor () -> Bool
    ) async -> Bool {
        let suspects = await suspects(of: page, for: step)
        guard isWanted(), !suspects.isEmpty, packages.library.mayRepin(page), let session = session(of: page) else {
            return false
        }
        if step.signal.isOfVersion {
            var reference = current(session).reference
            reference.generations.removeAll { !suspects.contains($0) }
            await packages.condemn(
                reference, because: "\(step.signal.rawValue): \(step.detail)", clock: whitePages?.clock)
        }
        guard isWanted(), packages.library.repin(page, without: suspects), let session = self.session(of: page) else {
            return false
        }
        keep(current(session))
        await engineCaches?.settle(for: current(session))
        return self.session(of: page) != nil
    }
}

extension WhitePageSignal {
    /// Whether it speaks of the version that the page is of. A process may end for what the system wants, and a document
    /// that could not be had is no version's fault.
    fileprivate var isOfVersion: Bool { self != .processEnded && self != .loadFailed }
}
