// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
internal import ResourceLoading

/// A downloader of archives that resumes earlier attempts, including those of earlier processes.
///
/// Every request has a range, the first one `bytes=0-`, so that no content coding is applied. A resuming request has
/// `If-Range` (RFC 9110, section 13.1.5). If the server ignores ranges, or its file has changed or has fewer bytes than
/// are on disk, the download restarts. If the manifest declares a digest, the archive must have it; a download with
/// another digest is repeated once from the start.
///
/// Isolation: any. Files are written on a separate thread. Cancellation of the task ends the request; received bytes
/// are kept for the next attempt.
final class PackageDownloader: Sendable {
    let loader: any ResourceLoader
    let configuration: PackageUpdater.Configuration.Downloads
    let folder: DownloadFolder
    let queue: KeyedQueue
    let executor = SerialQueue("container.downloads")
    /// The keys of the files of ranges that are in use.
    let rangesInUse = Mutex<Set<String>>([])

    /// Creates a downloader.
    /// - Parameters:
    ///   - loader: the network loader.
    ///   - directory: the path of the folder of unfinished downloads, `downloads` in the directory of the store. Only
    ///     the downloader uses it.
    ///   - configuration: the limits and the plan of retries.
    init(loader: any ResourceLoader, directory: String, configuration: PackageUpdater.Configuration.Downloads) {
        self.loader = loader
        self.configuration = configuration
        folder = DownloadFolder(path: directory)
        queue = KeyedQueue(maxConcurrent: configuration.maxConcurrent, maxWaiting: configuration.maxWaiting)
    }

    /// Downloads an archive when its turn comes.
    /// - Parameters:
    ///   - download: the archive to download.
    ///   - progress: a closure that is called with the bytes of an earlier process and after each piece, on a thread of
    ///     the downloader.
    ///   - admit: a closure that is called when the turn comes, before any request. If it throws, the download ends.
    /// - Returns: the complete archive; ``discard(_:)`` removes it.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    func download(
        _ download: PackageDownload, progress: (@Sendable (PackageDownloadProgress) -> Void)? = nil,
        admit: @Sendable () async throws -> Void = {}
    ) async throws -> DownloadedArchive {
        let key = DownloadFolder.key(of: download.url)
        return try await queue.run(key) {
            try await admit()
            return try await executor.withPreference { [self] in
                try await run(download, key, progress: progress)
            }
        }
    }

    /// Removes the files of a download.
    func discard(_ download: PackageDownload) {
        folder.remove(DownloadFolder.key(of: download.url))
    }

    /// Removes downloads that were not resumed within the configured time. Also removes all ranges of an earlier
    /// process, because they are never resumed.
    /// - Returns: the number of bytes that were freed.
    @discardableResult
    func removeStale() async -> Int64 {
        await executor.withPreference { [self] in
            let age = Double(configuration.retention.components.seconds)
            let stale = folder.removeFiles(notChangedSince: configuration.now().addingTimeInterval(-age))
            return stale + rangesInUse.withLock { folder.removeRanges(but: $0) }
        }
    }

    /// Returns the sender of a download's requests.
    func makeFetch() -> DeliveryFetch {
        DeliveryFetch(loader: loader, allowsInsecure: configuration.allowsInsecure)
    }

    /// Checks the declared size of an archive.
    /// - Throws: ``DeliveryError`` with code `too-large` if the manifest declares more bytes than the limit.
    func checkSize(of download: PackageDownload) throws {
        guard let size = download.size, size > configuration.sizeLimit else { return }
        throw DeliveryError(
            .tooLarge, "the archive has \(size) bytes, the limit is \(configuration.sizeLimit)", at: download.url)
    }

    /// Returns the number of bytes of a download on disk, even if it cannot be resumed.
    func partialBytes(of download: PackageDownload) -> Int64 {
        folder.partialBytes(of: DownloadFolder.key(of: download.url))
    }

    /// Returns the path of the file of a download, which also exists during the download.
    func partialPath(of download: PackageDownload) -> String {
        folder.partial(of: DownloadFolder.key(of: download.url))
    }

    /// Checks the free space of the device.
    /// - Throws: ``DeliveryError`` with code `no-room` if the device has less than `bytes` and the reserve.
    func checkSpace(for bytes: Int64) throws {
        try folder.make()
        let available = try configuration.space.availableBytes(at: folder.path)
        guard bytes <= available - configuration.reserve else {
            throw DeliveryError(
                .noSpace, "\(bytes) bytes and a reserve of \(configuration.reserve) exceed the available \(available)",
                at: folder.path)
        }
    }

    // MARK: - Attempts

    /// Returns the limit on the total time of one attempt to fetch an archive.
    func totalLimit(at url: String) -> StallLimit {
        StallLimit(
            limit: configuration.archiveLimit, clock: configuration.clock, reason: "the archive was not complete after",
            location: url)
    }

    private func run(
        _ download: PackageDownload, _ key: String, progress: (@Sendable (PackageDownloadProgress) -> Void)?
    ) async throws -> DownloadedArchive {
        try checkSize(of: download)
        try folder.make()
        let meter = TrafficMeter()
        let file = try PartialFile(path: folder.partial(of: key))
        var retries = Retries(configuration)
        let attempt = DownloadAttempt(
            download: download, key: key, file: file, folder: folder, fetch: makeFetch(),
            sizeLimit: configuration.sizeLimit, now: configuration.now, checkSpace: { try self.checkSpace(for: $0) },
            progress: progress, meter: meter)
        let stall = StallLimit(limit: configuration.stallLimit, clock: configuration.clock)
        let all = totalLimit(at: download.url)
        var mayRestart = true
        // The largest size so far. Only a larger size counts as progress.
        var mark = try file.size()
        while true {
            var outcome = try await all.run { _ in
                try await stall.attempt(download.url) { alive in try await attempt.run(alive: alive) }
            }
            let size = try file.size()
            if size > mark {
                mark = size
                retries.recordProgress()
            }
            if case .complete = outcome {
                guard let digest = download.sha256, try digest != file.digest() else {
                    return DownloadedArchive(path: file.path, size: size, traffic: meter.traffic)
                }
                let error = DeliveryError(
                    .digestMismatch, "the archive has another SHA-256 than the manifest declares", at: download.url)
                folder.removeRecord(of: key)
                try file.truncate(to: 0)
                guard mayRestart else { throw error }
                mayRestart = false
                outcome = .failed(.damaged, error)
            }
            if case .failed(let failure, let error) = outcome { try await retries.wait(after: failure, error) }
        }
    }
}
