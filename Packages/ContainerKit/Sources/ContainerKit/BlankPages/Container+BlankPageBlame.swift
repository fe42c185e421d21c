// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import PackageUpdates
internal import ResourceLoading
internal import WebEngine

// What is to blame for pages that stay white.
extension Container {
    /// The generations that are behind how a page's document looks: it lies under their base URL, and they have given
    /// it, or something that it loads. A package of another site, or one that several share, is not taken for what a
    /// page shows.
    private func suspects(of page: PageID) async -> Set<GenerationReference> {
        guard let url = session(of: page)?.documentURL else { return [] }
        let covering = packages.library.generations(of: page, covering: url)
        guard !covering.isEmpty else { return [] }
        let answering = await packages.library.generation(of: page, answering: url)
        return Set(covering.filter { $0 == answering || packages.hasRecorded($0, of: page) })
    }

    /// Leaves of what a look has shown what they are behind: errors of scripts that they answer, and resources that lie
    /// under their base URL.
    func attribute(_ seen: ProbeResult, of page: PageID) async -> ProbeResult {
        let (library, suspects) = (packages.library, await suspects(of: page))
        var seen = seen
        if let url = session(of: page)?.documentURL,
            let answering = await library.generation(of: page, answering: url)
        {
            seen.isPackaged = suspects.contains(answering)
        }
        let errors = seen.bootErrors
        seen.bootErrors = []
        for error in errors {
            guard let answering = await library.generation(of: page, answering: plainURL(of: error.file)),
                suspects.contains(answering)
            else { continue }
            seen.bootErrors.append(error)
        }
        seen.failedResources.removeAll {
            suspects.isDisjoint(with: library.generations(of: page, covering: plainURL(of: $0)))
        }
        return seen
    }

    /// Those that are to blame for what was seen: for an error the one whose script it is, as long as the page got all
    /// that it asked for; for a resource the one that it lies in, where its last answer was that there is no such
    /// thing.
    private func suspects(of page: PageID, for step: BlankPageStep) async -> Set<GenerationReference> {
        let all = await suspects(of: page)
        let url = plainURL(of: step.source ?? "")
        switch step.signal {
        case .failedResource:
            guard blankPages?.isMissing(url) == true else { return [] }
            return all.intersection(packages.library.generations(of: page, covering: url))
        case .bootError:
            let answering = await packages.library.generation(of: page, answering: url)
            guard blankPages?.hasFailedRequest(page) == false else { return [] }
            return all.filter { $0 == answering }
        default: return all
        }
    }

    /// The real URL, without a fragment.
    private func plainURL(of place: String) -> String { String(realURL(of: place).prefix { $0 != "#" }) }

    private func session(of page: PageID) -> PageSession? { sessions.values.first { $0.id == page } }

    /// Takes the generations that are to blame from the page, unless it has gone on to another document meanwhile; then
    /// marks them as failed, where it is the version that showed what is wrong, so that one on trial is rolled back.
    ///
    /// Nothing happens where the page would get the same again, as the pages over loopback while there are several.
    /// - Returns: whether another answer is to be expected now.
    func dropPackages(of page: PageID, for step: BlankPageStep, while isWanted: @MainActor () -> Bool) async -> Bool {
        let suspects = await suspects(of: page, for: step)
        guard isWanted(), !suspects.isEmpty, let session = session(of: page) else { return false }
        var reference = current(session).reference
        reference.generations.removeAll { !suspects.contains($0) }
        guard packages.library.repin(page, without: suspects) else { return false }
        keep(current(session))
        if step.signal.isOfVersion {
            await packages.markFailed(
                reference, because: "\(step.signal.rawValue): \(step.detail)", clock: blankPages?.clock)
            // The former version may be there only now.
            guard let session = self.session(of: page) else { return false }
            _ = packages.library.repin(page, without: suspects)
            keep(current(session))
        }
        guard let session = self.session(of: page) else { return false }
        await engineCaches?.invalidateStaleFiles(for: current(session))
        return self.session(of: page) != nil
    }
}

extension BlankPageSignal {
    /// Whether it speaks of the version that the page is of. A process may end, or be at work, for what no version has
    /// done.
    fileprivate var isOfVersion: Bool { [.emptyDocument, .bootError, .failedResource].contains(self) }
}
