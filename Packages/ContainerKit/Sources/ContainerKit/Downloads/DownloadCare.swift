// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import OfflinePackage
internal import ResourceLoading

/// Saves what pages want to save, once the host has said where.
///
/// A download is its page's until the host has answered, and then the container's: it goes on when the page is closed, and
/// ends with ``cancelAll(_:)``.
/// Isolation: the main actor; files are written elsewhere.
@MainActor
final class DownloadCare {
    let options: DownloadOptions
    private let requests: PageRequestCare
    private let journal: DownloadJournal
    private let tell: @MainActor (PageID, DownloadEvent) -> Void
    private var active: [DownloadID: Download] = [:]
    private var lastID: UInt64 = 0
    private var isOver = false
    private(set) var counters = DownloadCounters()

    init(
        _ options: DownloadOptions, requests: PageRequestCare, directory: String,
        tell: @escaping @MainActor (PageID, DownloadEvent) -> Void
    ) {
        self.options = options
        self.requests = requests
        self.tell = tell
        journal = DownloadJournal(directory: directory)
        journal.sweep()
    }

    /// Where the bytes of a download come from.
    enum Source: Sendable {
        case engine(any EngineDownload)
        /// An answer of the container's own, whose body was not touched yet.
        case answer(ResourceBody)
    }

    /// What is known of a download.
    struct Head {
        var url: String
        var name: String?
        var mediaType: String?
        var length: Int64?
        var status: Int?
        var isUserGesture: Bool
    }

    // MARK: Beginnings

    /// Whether a page may have one more; one that may not is told.
    func admits(_ head: Head, of page: PageSession) -> Bool {
        let count = active.values.count { $0.request.page.id == page.id }
        guard !isOver, count < options.pageLimit, active.count < options.limit else {
            counters.refused += 1
            lastID += 1
            let request = DownloadRequest(head, id: DownloadID(rawValue: lastID), page)
            tell(page.id, DownloadEvent(request: request, stage: .failed(.init(.tooMany, "too many", at: request.url))))
            return false
        }
        return true
    }

    /// Asks the host of a download whose head is there.
    func offer(_ source: Source, _ head: Head, of page: PageSession) {
        guard admits(head, of: page) else { return source.refuse() }
        offer(source, head, as: begin(head, of: page))
    }

    /// Asks the host of a download whose answer has to be asked for.
    /// - Parameter load: says what the answer is; its task is cancelled where nobody wants it any more.
    func load(
        _ head: Head, of page: PageSession, by load: @escaping @MainActor () async throws -> (Head, ResourceBody)
    ) {
        guard admits(head, of: page) else { return }
        let download = begin(head, of: page)
        // Owned: the download cancels it.
        let task = Task { [weak self] in
            do {
                let (head, body) = try await load()
                guard let self, download.failure == nil else {
                    Source.answer(body).refuse()
                    throw CancellationError()
                }
                offer(.answer(body), head, as: download)
            } catch {
                self?.end(download, .failed(download.failure ?? DownloadError(error, at: download.request.url)))
            }
        }
        download.stop = { task.cancel() }
        watch(download)
    }

    private func begin(_ head: Head, of page: PageSession) -> Download {
        lastID += 1
        let download = Download(DownloadRequest(head, id: DownloadID(rawValue: lastID), page))
        active[download.request.id] = download
        return download
    }

    private func offer(_ source: Source, _ head: Head, as download: Download) {
        let request = DownloadRequest(head, id: download.request.id, download.request.page)
        download.request = request
        download.meter.expect(head.length)
        download.watchdog?.cancel()
        download.phase = .asking
        if let failure = refusal(of: head, request) {
            source.refuse()
            return end(download, .failed(failure))
        }
        download.stop = { [weak self, weak download] in
            source.refuse()
            guard let download, let failure = download.failure else { return }
            self?.end(download, .failed(failure))
        }
        counters.asked += 1
        requests.ask(.download(request), of: request.page.id, nil) { [weak self] answer in
            guard let self, case .download(let decision) = answer, decision != .cancel else {
                source.refuse()
                self?.forget(download)
                return
            }
            // Cancelled meanwhile.
            guard download.failure == nil else { return }
            save(source, download, decision)
        }
    }

    /// Why the host need not be asked.
    private func refusal(of head: Head, _ request: DownloadRequest) -> DownloadError? {
        if let status = head.status, !(200..<300).contains(status) {
            return DownloadError(.status, "the server answered \(status)", at: request.url)
        }
        if let length = head.length, length > options.byteLimit {
            return DownloadError(.tooLarge, "\(length) bytes, limit \(options.byteLimit)", at: request.url)
        }
        return nil
    }

    // MARK: Bytes

    private func save(_ source: Source, _ download: Download, _ decision: DownloadDecision) {
        download.phase = .saving
        tell(download.request.page.id, DownloadEvent(request: download.request, stage: .began))
        // Owned: the download cancels it.
        let task = Task { [weak self, journal, options, clock = requests.options.clock] in
            let stage: DownloadEvent.Stage
            do {
                let place: DownloadPlace
                let file: DownloadFile
                do {
                    place = try DownloadPlace(decision, suggested: download.request.suggestedName)
                    try Self.measure(place, for: download.request, by: options.space)
                    try Task.checkCancellation()
                    file = try await DownloadFile.make(at: place, journal: journal)
                } catch {
                    source.refuse()
                    throw error
                }
                do {
                    try await Self.write(
                        source, into: file, download, limit: options.byteLimit, clock: clock, space: options.space)
                    guard download.failure == nil else { throw CancellationError() }
                    // From here on it is saved, whoever wants it no more.
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
        _ source: Source, into file: DownloadFile, _ download: Download, limit: Int64, clock: any Clock<Duration>,
        space: any SpaceMeasuring
    ) async throws {
        switch source {
        case .answer(let body):
            let meter = download.meter
            try await file.write(body, limit: limit) { meter.note($0) }
        case .engine(let engine):
            do {
                try await EngineSaving(engine, download, limit: limit, clock: clock).run(to: file.path)
            } catch let error as EngineError {
                // The engine does not say why it could not write.
                guard let available = try? space.availableBytes(at: file.place.folder), available < spareBytes else {
                    throw error
                }
                throw DownloadError(.noSpace, "\(available) bytes are free: \(error)", at: file.place.folder)
            }
        }
    }

    /// With less than that a file system counts as full.
    private static let spareBytes: Int64 = 1 << 16

    private static func measure(
        _ place: DownloadPlace, for request: DownloadRequest, by space: any SpaceMeasuring
    ) throws {
        let available: Int64
        do {
            available = try space.availableBytes(at: place.folder)
        } catch {
            throw DownloadError(.destination, "\(error)", at: place.folder)
        }
        guard available > request.expectedBytes ?? 0 else {
            throw DownloadError(.noSpace, "\(available) bytes are free", at: place.folder)
        }
    }

    /// Gives up what brings nothing for too long.
    private func watch(_ download: Download) {
        let (limit, clock) = (options.silenceLimit, requests.options.clock)
        download.watchdog?.cancel()
        download.watchdog = Task { [weak self, weak download] in
            var last: Int64 = -1
            while let received = download?.meter.received, received != last {
                last = received
                guard (try? await clock.sleep(for: limit)) != nil else { return }
            }
            guard let download, !Task.isCancelled else { return }
            self?.cancel(
                download, DownloadError(.timedOut, "nothing came (limit \(limit))", at: download.request.url))
        }
    }

    // MARK: Ends

    private func end(_ download: Download, _ stage: DownloadEvent.Stage) {
        guard forget(download) else { return }
        switch stage {
        case .began: break
        case .saved(_, let bytes):
            counters.saved += 1
            counters.savedBytes += bytes
        case .failed(let error) where error.code == .cancelled: counters.cancelled += 1
        case .failed: counters.failed += 1
        }
        tell(download.request.page.id, DownloadEvent(request: download.request, stage: stage))
    }

    @discardableResult
    private func forget(_ download: Download) -> Bool {
        download.watchdog?.cancel()
        download.meter.finish()
        return active.removeValue(forKey: download.request.id) != nil
    }

    private func cancel(_ download: Download, _ reason: DownloadError) {
        guard download.failure == nil else { return }
        download.failure = reason
        download.stop?()
    }

    /// The downloads that are being saved.
    var requestsBeingSaved: [DownloadRequest] {
        active.values.filter { $0.phase == .saving }.map(\.request)
            .sorted { $0.id.rawValue < $1.id.rawValue }
    }

    func progress(of id: DownloadID) -> AsyncStream<DownloadProgress> {
        guard let download = active[id] else { return AsyncStream { $0.finish() } }
        return download.meter.progress()
    }

    func cancel(_ id: DownloadID) {
        guard let download = active[id] else { return }
        cancel(download, DownloadError(.cancelled, "the host cancelled it", at: download.request.url))
    }

    /// A page is gone: what the host had not said yes to is of no use any more.
    func end(_ page: PageID) {
        for download in active.values where download.request.page.id == page && download.phase == .loading {
            cancel(download, DownloadError(.cancelled, "the page is gone", at: download.request.url))
        }
    }

    /// Ends all downloads, and those that wait for the host.
    func cancelAll(_ why: String) {
        for download in active.values { cancel(download, DownloadError(.cancelled, why, at: download.request.url)) }
    }

    /// Ends all of them, and begins no more; returns when nothing of them is left on disk.
    func shutDown() async {
        isOver = true
        cancelAll("the container is closed")
        for download in active.values { await download.meter.ended() }
    }

    isolated deinit {
        cancelAll("the container is gone")
    }
}

extension DownloadCare.Source {
    /// Lets go of bytes that nobody wants.
    @MainActor
    func refuse() {
        switch self {
        case .engine(let download): download.cancel()
        case .answer(.stream(let stream)):
            // What begins to read it, and is cancelled, ends what brings it.
            let reading = Task { for try await _ in stream { break } }
            reading.cancel()
        case .answer: break
        }
    }
}
