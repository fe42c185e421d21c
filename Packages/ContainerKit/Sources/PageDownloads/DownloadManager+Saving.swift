// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import WebEngine

// Downloads that are being saved, and their cancellation.
extension DownloadManager {
    /// Saves a file at the destination that the app has chosen.
    func save(_ source: DownloadSource, _ download: Download, _ decision: DownloadDecision) {
        download.phase = .saving
        record(.began, of: download)
        // `download.stop` cancels the task.
        let task = Task { [weak self, journal, options, clock] in
            let stage: DownloadEvent.Stage
            do {
                let file: DownloadFile
                let diskSpace: DiskSpaceGuard
                do {
                    let place = try DownloadPlace(decision, suggested: download.request.suggestedName)
                    diskSpace = DiskSpaceGuard(in: place.folder, by: options)
                    try await diskSpace.check(for: download.request.expectedBytes)
                    try Task.checkCancellation()
                    file = try await DownloadFile.make(at: place, journal: journal)
                } catch {
                    source.refuse()
                    throw error
                }
                do {
                    try await Self.write(source, into: file, download, limit: options.byteLimit, diskSpace, clock)
                    guard download.failure == nil else { throw CancellationError() }
                    // From here on the file is saved, even if the download is cancelled.
                    download.stop = {}
                    download.watchdog?.cancel()
                    let saved = try await file.finish(limit: options.byteLimit)
                    stage = .saved(path: saved.path, bytes: saved.bytes)
                } catch {
                    await file.discard()
                    throw error
                }
            } catch {
                stage = .failed(download.failure ?? DownloadError(error, at: download.request.url))
            }
            self?.end(download, stage)
        }
        download.stop = { task.cancel() }
        watch(download)
    }

    private static func write(
        _ source: DownloadSource, into file: DownloadFile, _ download: Download, limit: Int64,
        _ diskSpace: DiskSpaceGuard, _ clock: any Clock<Duration>
    ) async throws {
        switch source {
        case .response(let body):
            let meter = download.meter
            try await file.write(body, limit: limit) { bytes in
                meter.record(bytes)
                if diskSpace.isDue(at: bytes) { try diskSpace.recheck() }
            }
        case .engine(let engine):
            do {
                try await EngineSaving(engine, download, limit: limit, diskSpace: diskSpace, clock: clock).run(
                    to: file.path)
            } catch let error as EngineError {
                // The engine reports the reason of a failed write only as text.
                throw await diskSpace.reason(for: error)
            }
        }
    }

    /// Starts the task that cancels a download if too few bytes arrive within the limit.
    func watch(_ download: Download) {
        download.watchdog?.cancel()
        guard !isSuspended else { return }
        download.meter.restartSilence()
        let (limit, least, clock) = (options.silenceLimit, options.leastBytes, clock)
        download.watchdog = Task { [weak download] in
            while let silence = download?.meter.silence, silence < limit {
                guard (try? await clock.sleep(for: limit - silence)) != nil else { return }
            }
            guard let download, !Task.isCancelled else { return }
            download.cancel(
                DownloadError(.timedOut, "fewer than \(least) bytes arrived in \(limit)", at: download.request.url))
        }
    }

    /// The requests of the downloads that are being saved, oldest first.
    package var requestsBeingSaved: [DownloadRequest] {
        active.values.filter { $0.phase == .saving }.map(\.request)
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    /// Returns the progress of a download. The stream ends with the download.
    package func progress(of id: DownloadID) -> AsyncStream<DownloadProgress> {
        guard let download = active[id] else { return AsyncStream { $0.finish() } }
        return download.meter.progress()
    }

    /// Cancels a download. Does nothing if it is not in progress.
    package func cancel(_ id: DownloadID) {
        guard let download = active[id] else { return }
        download.cancel(DownloadError(.cancelled, "the app cancelled the download", at: download.request.url))
    }

    /// Cancels all downloads, including those that wait for a decision of the app.
    func cancelAll(_ reason: String) {
        for download in active.values { download.cancel(DownloadError(.cancelled, reason, at: download.request.url)) }
    }
}
