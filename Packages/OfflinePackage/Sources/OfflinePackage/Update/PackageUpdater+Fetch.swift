// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import HTTPTypes
@_spi(Packaging) internal import PackageFormat
internal import ResourceLoading
internal import ResourceStore

extension PackageUpdater {
    /// Downloads the missing files of a draft into its batch.
    /// - Parameters:
    ///   - draft: the draft.
    ///   - source: the source of its manifest.
    ///   - use: the use of background downloads, or `nil` for a repair, which ignores them.
    /// - Throws: ``BackgroundDownloadRequired``, ``DeliveryError``, `PackageError`, `StoreError` or
    ///   `CancellationError`.
    func fetch(
        _ draft: PackageDraft, from source: PackageSource, _ use: BackgroundUse? = nil
    ) async throws -> (PackageUpdate.Transfer, DeliveryTraffic) {
        let draft = try await library.onThread { _ in try draft.addingEmptyFiles() }
        let manifest = draft.manifest
        let download = PackageDownload(
            url: source.archive(of: manifest), size: manifest.archive?.size, sha256: manifest.archive?.sha256)
        let meter = TrafficMeter()
        var transfer = PackageUpdate.Transfer.whole
        let plan = RangePlan(
            draft.missing, of: manifest, isFirst: library.activeGeneration(of: manifest.id) == nil,
            costs: configuration.costs)
        if plan != .nothing { try downloader.checkSize(of: download) }
        var traffic = DeliveryTraffic()
        if let use, configuration.downloads.background != nil {
            if plan == .whole { traffic += try await fetch(download, draft, inBackground: use) }
            await cancelBackgroundDownloads(of: manifest.id)
        }
        switch plan {
        case .nothing: return (.nothing, traffic)
        case .ranges(let ranges):
            do {
                try await downloader.withRanges(ranges, of: download, meter: meter) {
                    try await self.checkSpace(for: draft, ranges.reduce(0) { $0 + Int64($1.count) })
                } _: { [library] path in
                    try await library.fill(draft, from: path, isWhole: false)
                }
                return (.ranges, meter.traffic)
            } catch let error where Self.allowsWholeArchive(error) {
                hub.send(.fellBack(manifest.id, manifest.version, reason: String(describing: error)))
                transfer = .wholeAfterRanges
            }
        case .whole: break
        }
        traffic += meter.traffic
        traffic += try await fetchWhole(download, draft)
        return (transfer, traffic)
    }

    /// Returns a Boolean value that indicates whether a download of the whole archive may succeed after ranges failed.
    private static func allowsWholeArchive(_ error: any Error) -> Bool {
        switch error {
        case is CancellationError: false
        case let error as DeliveryError: ![.noSpace, .io, .queueFull].contains(error.code)
        case let error as StoreError: error.code == .digestMismatch
        default: true
        }
    }

    /// Takes the file of an archive's background download, or requires to wait for it, unless bytes of it are on disk.
    /// - Returns: the traffic of the file that was taken.
    private func fetch(
        _ download: PackageDownload, _ draft: PackageDraft, inBackground use: BackgroundUse
    ) async throws -> DeliveryTraffic {
        guard let task = BackgroundDownload(download, of: draft.manifest.id),
            downloader.partialBytes(of: download) == 0
        else { return DeliveryTraffic() }
        switch use {
        case .wait:
            try await checkSpace(for: draft, task.sizeLimit)
            throw BackgroundDownloadRequired(task: task)
        case .take: return try await downloader.take(task, of: download)
        }
    }

    private func fetchWhole(_ download: PackageDownload, _ draft: PackageDraft) async throws -> DeliveryTraffic {
        let manifest = draft.manifest
        let isFirst = library.activeGeneration(of: manifest.id) == nil
        let arrival = isFirst ? arrivals.begin(manifest, at: downloader.partialPath(of: download)) : nil
        defer { if let arrival { arrivals.end(arrival) } }
        let steps = ProgressSteps()
        let archive = try await downloader.download(download) { [hub] progress in
            arrival?.record(progress.received)
            guard steps.shouldReport(progress) else { return }
            hub.send(.downloading(manifest.id, manifest.version, progress))
        } admit: {
            // The bytes on disk already occupy their space.
            let packed = max(0, (download.size ?? 0) - self.downloader.partialBytes(of: download))
            try await self.checkSpace(for: draft, packed)
        }
        do {
            try await library.fill(draft, from: archive.path)
        } catch let error as PackageError {
            // The archive is complete but not valid, so resuming the download would not help.
            downloader.discard(download)
            throw error
        }
        downloader.discard(download)
        return archive.traffic
    }

    /// Checks that there is space for the packed and the uncompressed bytes at the same time.
    private func checkSpace(for draft: PackageDraft, _ packed: Int64) async throws {
        let unpacked = draft.missingBytes
        try downloader.checkSpace(for: packed.addingSaturated(unpacked))
        do {
            let space = configuration.space ?? library.store
            // The store sweeps first, which may take seconds.
            try await library.executor.withPreference { try await space.ensureSpace(for: unpacked) }
        } catch let error where Self.isOtherFailure(error) {
            throw error
        } catch {
            throw DeliveryError(
                .noSpace, "the store has no space for \(unpacked) bytes", at: library.store.directory, cause: error)
        }
    }

    /// Returns a Boolean value that indicates whether an error has another cause than insufficient space.
    private static func isOtherFailure(_ error: any Error) -> Bool {
        switch error {
        case let error as StoreError: ![.overBudget, .diskFull].contains(error.code)
        default: error is CancellationError || error is DeliveryError
        }
    }
}

extension PackageUpdater {
    /// Returns a Boolean value that indicates whether a package that is downloaded for the first time covers a URL.
    ///
    /// Only packages that can serve files during the download count. Synchronous; any isolation.
    public nonisolated func covers(_ url: String) -> Bool {
        PackageURL(url).map { !arrivals.candidates(for: $0).isEmpty } ?? false
    }

    /// Returns a Boolean value that indicates whether a package that is downloaded for the first time has the origin of
    /// a request.
    ///
    /// The request's path is ignored. Synchronous; any isolation.
    public nonisolated func serves(originOf request: HTTPRequest) -> Bool {
        PackageURL(request).map { arrivals.serve($0.origin) } ?? false
    }
}
