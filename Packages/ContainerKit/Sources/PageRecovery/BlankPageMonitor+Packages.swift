// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading

// The packages that are responsible for blank pages.
extension BlankPageMonitor {
    /// Returns the result of an examination, reduced to the findings for which a package is responsible. These are
    /// errors of scripts of the package, and resources below its base URL.
    func attribute(_ result: ProbeResult, of page: PageID) async -> ProbeResult {
        let suspects = await suspects(of: page)
        var attributed = result
        if let url = packages.reference(of: page)?.documentURL,
            let answering = await packages.generation(of: page, answering: url)
        {
            attributed.isPackaged = suspects.contains(answering)
        }
        attributed.bootErrors = []
        for error in result.bootErrors {
            guard let answering = await packages.generation(of: page, answering: plainURL(of: error.file)),
                suspects.contains(answering)
            else { continue }
            attributed.bootErrors.append(error)
        }
        attributed.failedResources.removeAll {
            suspects.isDisjoint(with: packages.generations(of: page, covering: plainURL(of: $0)))
        }
        return attributed
    }

    /// Unpins the responsible generations from a page, unless the page has navigated to another document meanwhile.
    ///
    /// If the signal is evidence against their version, marks the generations as failed, so that a version on trial
    /// is rolled back. Does nothing if the page would get the same generations again, for example over loopback while
    /// several pages are open.
    /// - Parameters:
    ///   - page: the page.
    ///   - step: the next step of the recovery.
    ///   - isWanted: a closure that returns `true` if the step is still valid.
    /// - Returns: `true` if a reload of the page now gets another response. Returns in bounded time.
    func dropPackages(of page: PageID, for step: BlankPageStep, while isWanted: @MainActor () -> Bool) async -> Bool {
        let suspects = await suspects(of: page, for: step)
        guard isWanted(), !suspects.isEmpty, var failed = packages.reference(of: page) else { return false }
        failed.generations.removeAll { !suspects.contains($0) }
        guard packages.repin(page, without: suspects) else { return false }
        packages.generationsChanged(of: page)
        if step.signal.isOfVersion {
            await packages.markFailed(
                failed, because: "\(step.signal.rawValue): \(step.detail)", clock: options.clock)
            guard packages.reference(of: page) != nil else { return false }
            // The rollback may have activated the former version only now.
            _ = packages.repin(page, without: suspects)
            packages.generationsChanged(of: page)
        }
        await packages.invalidateStaleFiles(of: page)
        return packages.reference(of: page) != nil
    }

    /// Returns the generations that provide the document of a page or its resources, and whose base URL covers the
    /// document. A package of another site, or a package that several sites share, is not responsible for the page.
    private func suspects(of page: PageID) async -> Set<GenerationReference> {
        guard let url = packages.reference(of: page)?.documentURL else { return [] }
        let covering = packages.generations(of: page, covering: url)
        guard !covering.isEmpty else { return [] }
        let answering = await packages.generation(of: page, answering: url)
        return Set(covering.filter { $0 == answering || packages.hasRecorded($0, of: page) })
    }

    /// Returns the generations that are responsible for the signal of a step.
    ///
    /// For an error, this is the generation that provides the script, if no request of the page has failed. For a
    /// resource, it is the generation that covers it, if the last response had the status 404 or 410.
    private func suspects(of page: PageID, for step: BlankPageStep) async -> Set<GenerationReference> {
        let all = await suspects(of: page)
        let url = plainURL(of: step.source ?? "")
        switch step.signal {
        case .failedResource:
            guard isMissing(url) else { return [] }
            return all.intersection(packages.generations(of: page, covering: url))
        case .bootError:
            let answering = await packages.generation(of: page, answering: url)
            guard !hasFailedRequest(page) else { return [] }
            return all.filter { $0 == answering }
        default: return all
        }
    }

    /// Returns the real URL of a URL in the engine, without its fragment.
    private func plainURL(of place: String) -> String { String(host.realURL(of: place).prefix { $0 != "#" }) }
}
