// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTypes
internal import PackageFormat
package import ResourceLoading

/// Fetches archives, and goes on with what an earlier attempt or an earlier process left.
///
/// Every request asks for a range, the first for `bytes=0-`, so that no content coding is applied on the way, and one
/// that goes on says `If-Range` (RFC 9110, section 13.1.5). A server that ignores ranges, whose file changed
/// meanwhile or that has no more bytes than are there already is asked for all of it again. Where the manifest names
/// a digest the whole must have it; one download that has not is done once more from its beginning.
///
/// Isolation: any. Files are written on a thread of its own. Cancelling the task ends the request; what has arrived
/// stays for the next time.
public final class PackageDownloader: Sendable {
    let loader: any ResourceLoader
    let configuration: Configuration
    let folder: DownloadFolder
    let queue: KeyedQueue
    let executor = SerialQueue("container.downloads")
    /// Keys of the files of ranges that are being filled or read.
    let rangesInUse = Mutex<Set<String>>([])

    /// - Parameters:
    ///   - loader: the network.
    ///   - directory: the path of the folder of unfinished downloads: `downloads` in the directory of the store. Only
    ///     the downloader uses it.
    ///   - configuration: the limits and the plan of retries.
    package init(loader: any ResourceLoader, directory: String, configuration: Configuration = Configuration()) {
        self.loader = loader
        self.configuration = configuration
        folder = DownloadFolder(path: directory)
        queue = KeyedQueue(atATime: configuration.atATime, inLine: configuration.inLine)
    }

    /// Fetches an archive, in its turn.
    /// - Parameters:
    ///   - download: the archive to fetch.
    ///   - progress: called with what an earlier process left, and with each piece that arrived, on a thread of the
    ///     downloader.
    ///   - admit: called when it is its turn, before anything is fetched; what it throws ends the download.
    /// - Returns: where it is; ``discard(_:)`` removes it.
    /// - Throws: ``DeliveryError`` or `CancellationError`.
    package func download(
        _ download: PackageDownload, progress: (@Sendable (PackageDownloadProgress) -> Void)? = nil,
        admit: @Sendable () async throws -> Void = {}
    ) async throws -> DownloadedArchive {
        let key = DownloadFolder.key(of: download.url)
        return try await queue.run(key) {
            try await admit()
            return try await withTaskExecutorPreference(executor) { [self] in
                try await run(download, key, progress: progress)
            }
        }
    }

    /// Removes what there is of a download.
    package func discard(_ download: PackageDownload) {
        folder.remove(DownloadFolder.key(of: download.url))
    }

    /// Removes downloads that nobody went on with for as long as the configuration says, and ranges that an earlier
    /// process left: nobody goes on with those.
    /// - Returns: how many bytes that gave back.
    @discardableResult
    package func removeStale() async -> Int64 {
        await withTaskExecutorPreference(executor) { [self] in
            let age = Double(configuration.keepFor.components.seconds)
            let stale = folder.removeFiles(notChangedSince: configuration.now().addingTimeInterval(-age))
            return stale + rangesInUse.withLock { folder.removeRanges(but: $0) }
        }
    }

    /// Returns what sends the requests of a download.
    func makeFetch() -> DeliveryFetch {
        DeliveryFetch(loader: loader, allowsInsecure: configuration.allowsInsecure)
    }

    /// - Throws: ``DeliveryError`` with code `too-large` where the manifest names more bytes than are allowed.
    func checkSize(of download: PackageDownload) throws {
        guard let size = download.size, size > configuration.sizeLimit else { return }
        throw DeliveryError(.tooLarge, "archive of \(size) bytes, limit \(configuration.sizeLimit)", at: download.url)
    }

    /// How many bytes of a download are there, whether or not it will go on with them.
    func partialBytes(of download: PackageDownload) -> Int64 {
        folder.partialBytes(of: DownloadFolder.key(of: download.url))
    }

    /// Where the bytes of a download are, also while they arrive.
    func partialPath(of download: PackageDownload) -> String {
        folder.partial(of: DownloadFolder.key(of: download.url))
    }

    /// - Throws: ``DeliveryError`` with code `no-room` where the device has not so many bytes beside the reserve.
    func checkSpace(for bytes: Int64) throws {
        try folder.make()
        let available = try configuration.space.availableBytes(at: folder.path)
        guard bytes <= available - configuration.reserve else {
            throw DeliveryError(
                .noSpace, "\(bytes) bytes and a reserve of \(configuration.reserve) do not fit into \(available)",
                at: folder.path)
        }
    }

    // MARK: - Attempts

    /// Ends an attempt at an archive that goes on for too long, however little comes at a time.
    func totalLimit(at url: String) -> StallLimit {
        StallLimit(
            limit: configuration.archiveLimit, clock: configuration.clock, reason: "the archive was not whole after",
            location: url)
    }

    private func run(
        _ download: PackageDownload, _ key: String, progress: (@Sendable (PackageDownloadProgress) -> Void)?
    ) async throws -> DownloadedArchive {
        try checkSize(of: download)
        try folder.make()
        let file = try PartialFile(path: folder.partial(of: key))
        var retries = Retries(configuration)
        let meter = TrafficMeter()
        let attempt = DownloadAttempt(
            download: download, key: key, file: file, folder: folder, fetch: makeFetch(),
            sizeLimit: configuration.sizeLimit, now: configuration.now, checkSpace: { try self.checkSpace(for: $0) },
            progress: progress, meter: meter)
        let stall = StallLimit(limit: configuration.stallLimit, clock: configuration.clock)
        let all = totalLimit(at: download.url)
        var mayBeginAnew = true
        // The most that was ever there: only what is more is progress.
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
                let error = DeliveryError(.digestMismatch, "the archive has another SHA-256", at: download.url)
                folder.removeRecord(of: key)
                try file.truncate(to: 0)
                guard mayBeginAnew else { throw error }
                mayBeginAnew = false
                outcome = .failed(.damaged, error)
            }
            if case .failed(let failure, let error) = outcome { try await retries.wait(after: failure, error) }
        }
    }
}
