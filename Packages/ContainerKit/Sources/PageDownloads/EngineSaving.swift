// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import WebEngine

/// A download that the engine saves and whose progress the container observes.
///
/// Isolation: the main actor.
@MainActor
final class EngineSaving {
    private let engine: any EngineDownload
    private let download: Download
    private let limit: Int64
    private let diskSpace: DiskSpaceGuard
    private let clock: any Clock<Duration>
    private var end: CheckedContinuation<Void, any Error>?

    init(
        _ engine: any EngineDownload, _ download: Download, limit: Int64, diskSpace: DiskSpaceGuard,
        clock: any Clock<Duration>
    ) {
        self.clock = clock
        self.engine = engine
        self.download = download
        self.limit = limit
        self.diskSpace = diskSpace
    }

    func run(to path: String) async throws {
        guard download.failure == nil else {
            engine.cancel()
            throw CancellationError()
        }
        defer {
            bound?.cancel()
            measuring?.cancel()
        }
        try await withCheckedThrowingContinuation { continuation in
            end = continuation
            download.stop = { [weak self] in self?.cancel() }
            engine.save(to: path) { [weak self] in self?.receive($0) }
        }
    }

    private var bound: Task<Void, Never>?
    private var measuring: Task<Void, Never>?
    private var isMeasureDue = false
    /// The time limit for the engine to confirm that it has stopped writing.
    private static let endLimit = Duration.seconds(5)

    private func cancel() {
        engine.cancel()
        guard bound == nil else { return }
        bound = Task { [weak self, clock] in
            guard (try? await clock.sleep(for: Self.endLimit)) != nil else { return }
            self?.complete(.failure(CancellationError()))
        }
    }

    private func cancel(because failure: DownloadError) {
        guard download.failure == nil, end != nil else { return }
        download.failure = failure
        cancel()
    }

    private func receive(_ signal: EngineDownloadSignal) {
        switch signal {
        case .received(let bytes):
            download.meter.record(bytes)
            if bytes > limit {
                cancel(because: DownloadError(.tooLarge, "more than \(limit) bytes", at: download.request.url))
            }
            if diskSpace.isDue(at: bytes) { measure() }
        case .finished: complete(download.failure.map { .failure($0) } ?? .success(()))
        case .failed(let error): complete(.failure(error))
        }
    }

    /// Measures the free space in a task that is cancelled at the end. A measurement in progress is not restarted,
    /// because a slow measurement would never finish.
    private func measure() {
        isMeasureDue = true
        guard measuring == nil else { return }
        measuring = Task { [weak self, diskSpace] in
            while let self, isMeasureDue, !Task.isCancelled {
                isMeasureDue = false
                do {
                    try await diskSpace.recheckElsewhere()
                } catch {
                    guard !Task.isCancelled else { return }
                    cancel(because: DownloadError(error, at: download.request.url))
                }
            }
            self?.measuring = nil
        }
    }

    private func complete(_ result: Result<Void, any Error>) {
        end?.resume(with: result)
        end = nil
    }
}
