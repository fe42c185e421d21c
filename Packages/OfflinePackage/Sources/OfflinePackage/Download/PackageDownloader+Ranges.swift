// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

extension PackageDownloader {
    /// Fetches ranges of an archive when its turn comes.
    /// - Parameters:
    ///   - ranges: the ranges to fetch.
    ///   - download: the archive.
    ///   - meter: the traffic counter, which is also updated if the function throws.
    ///   - admit: a closure that is called when the turn comes, before any request. If it throws, the function ends.
    ///   - use: a closure that receives the path of a file with the ranges at their offsets and holes between them. The
    ///     file is removed afterwards.
    /// - Throws: ``DeliveryError`` if the ranges cannot be fetched, `CancellationError`, or the error of `use`.
    func withRanges(
        _ ranges: [Range<Int64>], of download: PackageDownload, meter: TrafficMeter,
        admit: @Sendable () async throws -> Void, _ use: @Sendable (String) async throws -> Void
    ) async throws {
        let key = DownloadFolder.key(of: download.url)
        try await queue.run(key) {
            try await admit()
            try await executor.withPreference { [self] in
                try checkSpace(for: ranges.reduce(0) { $0 + Int64($1.count) })
                try folder.make()
                let path = folder.ranges(of: key)
                _ = rangesInUse.withLock { $0.insert(key) }
                defer {
                    rangesInUse.withLock { inUse in
                        folder.removeRanges(of: key)
                        inUse.remove(key)
                    }
                }
                let file = try PartialFile(path: path)
                // Leftovers of a killed process may belong to another version.
                try file.truncate(to: 0)
                try await fetch(ranges, of: download, into: file, meter)
                try await use(path)
            }
        }
    }

    private func fetch(
        _ ranges: [Range<Int64>], of download: PackageDownload, into file: PartialFile, _ meter: TrafficMeter
    ) async throws {
        let attempt = RangeAttempt(
            ranges, of: download, into: file, fetch: makeFetch(), now: configuration.now,
            meter: meter)
        let stall = StallLimit(limit: configuration.stallLimit, clock: configuration.clock)
        let all = totalLimit(at: download.url)
        var retries = Retries(configuration)
        var pending = attempt.pendingBytes
        while true {
            let outcome = try await all.run { _ in
                try await stall.attempt(download.url) { alive in try await attempt.run(alive: alive) }
            }
            guard case .failed(let failure, let error) = outcome else { return }
            if attempt.pendingBytes < pending { retries.recordProgress() }
            pending = attempt.pendingBytes
            try await retries.wait(after: failure, error)
        }
    }
}
