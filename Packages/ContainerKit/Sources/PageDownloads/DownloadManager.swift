// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
internal import WebEngine

/// Saves what pages want to save, once the host has said where.
///
/// A download is its page's until the host has answered, and then the container's: it goes on when the page is closed, and
/// ends with ``cancelAll(_:)``.
/// Isolation: the main actor; files are written, measured and swept elsewhere.
@MainActor
final class DownloadManager {
    let options: DownloadOptions
    let requests: PagePromptController
    let journal: DownloadJournal
    private let sweep: Task<Void, Never>
    private let send: @MainActor (PageID, DownloadEvent) -> Void
    private(set) var active: [DownloadID: Download] = [:]
    private var lastID: UInt64 = 0
    private var isOver = false
    private var signOuts = 0
    private var begunSignOuts = 0
    private(set) var isSuspended = false
    private(set) var counters = DownloadCounters()

    init(
        _ options: DownloadOptions, requests: PagePromptController, journal: DownloadJournal,
        send: @escaping @MainActor (PageID, DownloadEvent) -> Void
    ) {
        self.options = options
        self.requests = requests
        self.send = send
        self.journal = journal
        // Nobody waits for it but the end: what begins meanwhile is not in it.
        sweep = Task { await journal.sweep() }
    }

    // MARK: Beginnings

    /// How often accounts were signed out: what was asked for at another number may be of one that is gone.
    var epoch: Int { begunSignOuts }

    /// Asks the host of a download whose head is there.
    /// - Parameter epoch: when it was asked for; `nil` for one of which the engine knows that, as it ends those by itself.
    func offer(_ source: Source, _ head: Head, of page: PageSession, askedIn epoch: Int? = nil) {
        guard let download = begin(head, of: page, askedIn: epoch) else { return source.refuse() }
        offer(source, head, as: download)
    }

    /// Asks the host of a download whose answer has to be asked for.
    /// - Parameters:
    ///   - load: says what the answer is; its task is cancelled where nobody wants it any more.
    ///   - onEnd: hears how many bytes came, and what became of them.
    func load(
        _ head: Head, of page: PageSession, by load: @escaping @MainActor () async throws -> (Head, ResourceBody),
        onEnd: @escaping (Int64, Download.Ending) -> Void
    ) {
        guard let download = begin(head, of: page) else { return }
        download.onEnd = onEnd
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

    /// - Returns: `nil` where there may not be one more, which is told.
    private func begin(_ head: Head, of page: PageSession, askedIn epoch: Int? = nil) -> Download? {
        lastID += 1
        let request = DownloadRequest(head, id: DownloadID(rawValue: lastID), page)
        if let failure = rejection(to: request, askedIn: epoch) {
            counters.refused += 1
            send(page.id, DownloadEvent(request: request, stage: .failed(failure)))
            return nil
        }
        let meter = ProgressTracker(Stopwatch(requests.options.clock), leastBytes: options.leastBytes)
        let download = Download(request, meter)
        active[request.id] = download
        return download
    }

    private func rejection(to request: DownloadRequest, askedIn epoch: Int?) -> DownloadError? {
        if isOver { return DownloadError(.cancelled, "the container is closed", at: request.url) }
        // It would be of the account that goes.
        if signOuts > 0 { return DownloadError(.cancelled, "an account is being signed out", at: request.url) }
        if let epoch, epoch != begunSignOuts {
            return DownloadError(.cancelled, "an account was signed out since", at: request.url)
        }
        let count = active.values.count { $0.request.page.id == request.page.id }
        guard count < options.pageLimit, active.count < options.limit else {
            return DownloadError(.tooMany, "too many", at: request.url)
        }
        return nil
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
        let withdraw = requests.ask(.download(request), of: request.page.id, nil) { [weak self] answer in
            guard let self, case .download(let decision) = answer, decision != .cancel, download.failure == nil else {
                source.refuse()
                if let failure = download.failure {
                    self?.end(download, .failed(failure))
                } else {
                    self?.forget(download, .unwanted)
                }
                return
            }
            save(source, download, decision)
        }
        guard let withdraw else { return }
        counters.asked += 1
        download.stop = withdraw
    }

    // MARK: Ends

    func record(_ stage: DownloadEvent.Stage, of download: Download) {
        send(download.request.page.id, DownloadEvent(request: download.request, stage: stage))
    }

    func end(_ download: Download, _ stage: DownloadEvent.Stage) {
        let ending: Download.Ending = if case .failed(let error) = stage { .failed(error) } else { .whole }
        guard forget(download, ending) else { return }
        switch stage {
        case .began: break
        case .saved(_, let bytes):
            counters.saved += 1
            counters.savedBytes += bytes
        case .failed(let error) where error.code == .cancelled: counters.cancelled += 1
        case .failed: counters.failed += 1
        }
        record(stage, of: download)
    }

    @discardableResult
    private func forget(_ download: Download, _ ending: Download.Ending) -> Bool {
        download.close(ending)
        return active.removeValue(forKey: download.request.id) != nil
    }

    /// Ends all of them, and begins no more; returns when nothing of them is left on disk.
    func shutDown() async {
        isOver = true
        cancelAll("the container is closed")
        for download in active.values { await download.meter.ended() }
        await sweep.value
    }

    /// Ends all downloads, and begins none until ``endSignOut()``.
    func beginSignOut() {
        signOuts += 1
        begunSignOuts += 1
        cancelAll("an account was signed out")
    }

    func endSignOut() { signOuts -= 1 }

    /// Silence does not count until ``resume()``.
    func suspend() {
        isSuspended = true
        for download in active.values { download.watchdog?.cancel() }
    }

    func resume() {
        guard isSuspended else { return }
        isSuspended = false
        for download in active.values where download.phase != .asking { watch(download) }
    }

    isolated deinit {
        cancelAll("the container is gone")
        // Nobody is there to hear of their ends.
        for download in active.values { download.close(download.failure.map { .failed($0) } ?? .unwanted) }
    }
}
