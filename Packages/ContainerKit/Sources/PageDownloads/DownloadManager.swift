// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading
package import SchemeMode
package import WebEngine

/// The part of the container that downloads use.
///
/// Isolation: the main actor.
@MainActor
package protocol PageDownloadHost: AnyObject {
    /// Returns the page that a view shows, or `nil` if there is none.
    func session(of view: ViewID) -> PageSession?

    /// Returns the real URL of a URL in the engine.
    func realURL(of place: String) -> String

    /// Asks the app for a decision about a download.
    /// - Parameters:
    ///   - request: the request of the page.
    ///   - then: a closure that receives the decision, once; `cancel` if the app makes none.
    /// - Returns: a closure that withdraws the request, which is then cancelled; `nil` if the app is not asked and
    ///   `then` was called.
    func requestDecision(_ request: DownloadRequest, then: @escaping @MainActor (DownloadDecision) -> Void) -> (
        @MainActor () -> Void
    )?
}

/// The manager that saves the files that pages download, after the app has chosen a destination.
///
/// A download belongs to its page until the app has decided, and then to the container. It continues after the page
/// has closed, and ends at the latest with ``shutDown()``.
///
/// Isolation: the main actor. File operations run on other threads.
@MainActor
package final class DownloadManager {
    /// The part of the container that downloads use; retained.
    package var host: (any PageDownloadHost)?
    let options: DownloadOptions
    let clock: any Clock<Duration>
    let names: SchemeNames
    let files: any SavedFileLoading
    let journal: DownloadJournal
    let send: @MainActor (PageDownloadReport) -> Void
    private let sweep: Task<Void, Never>
    var pages: [PageID: OpenPage] = [:]
    private(set) var active: [DownloadID: Download] = [:]
    private var lastID: UInt64 = 0
    private var isOver = false
    private var signOuts = 0
    private(set) var isSuspended = false
    package private(set) var counters = DownloadCounters()

    /// The number of sign-outs so far. A response that was requested with another number may belong to a removed
    /// account.
    package private(set) var epoch = 0

    /// Creates a manager without a host, and removes the partial files of a process that was killed.
    /// - Parameters:
    ///   - options: the limits.
    ///   - clock: the clock of the time limits.
    ///   - directory: the container's folder, for the journal of partial files.
    ///   - names: the mapping between real URLs and custom schemes.
    ///   - files: the loader of files whose URLs have a custom scheme.
    ///   - send: a closure that receives each change of a download and each request that has ended.
    package init(
        _ options: DownloadOptions, clock: any Clock<Duration>, directory: String, names: SchemeNames,
        files: any SavedFileLoading, send: @escaping @MainActor (PageDownloadReport) -> Void
    ) async {
        self.options = options
        self.clock = clock
        self.names = names
        self.files = files
        self.send = send
        let journal = await DownloadJournal.open(directory: directory)
        self.journal = journal
        // `shutDown()` waits for the task. It does not affect downloads that start in the meantime: this value has only
        // the entries of earlier processes.
        sweep = Task { await journal.sweep() }
    }

    // MARK: Starts

    /// Asks the app about a download whose head has arrived.
    /// - Parameters:
    ///   - source: the source of the bytes.
    ///   - head: the properties of the file.
    ///   - page: the page of the download.
    ///   - epoch: the value of ``epoch`` at the time of the request; `nil` for a download of the engine, because a
    ///     sign-out drops the pending downloads of engines.
    func offer(_ source: DownloadSource, _ head: DownloadHead, of page: PageSession, askedIn epoch: Int? = nil) {
        guard let download = begin(head, of: page, askedIn: epoch) else { return source.refuse() }
        offer(source, head, as: download)
    }

    /// Requests a file, and then asks the app about it.
    /// - Parameters:
    ///   - head: the properties of the file that are known before the response.
    ///   - page: the page of the download.
    ///   - load: a closure that returns the response; its task is cancelled if the download ends.
    ///   - onEnd: a closure that receives the number of received bytes and the result.
    func load(
        _ head: DownloadHead, of page: PageSession,
        by load: @escaping @MainActor () async throws -> (DownloadHead, ResourceBody),
        onEnd: @escaping (Int64, Download.Ending) -> Void
    ) {
        guard let download = begin(head, of: page) else { return }
        download.onEnd = onEnd
        // `download.stop` cancels the task.
        let task = Task { [weak self] in
            do {
                let (head, body) = try await load()
                guard let self, download.failure == nil else {
                    DownloadSource.response(body).refuse()
                    throw CancellationError()
                }
                offer(.response(body), head, as: download)
            } catch {
                self?.end(download, .failed(download.failure ?? DownloadError(error, at: download.request.url)))
            }
        }
        download.stop = { task.cancel() }
        watch(download)
    }

    /// Returns a new download. If a limit, a sign-out or the shutdown forbids the download, reports the refusal and
    /// returns `nil`.
    private func begin(_ head: DownloadHead, of page: PageSession, askedIn epoch: Int? = nil) -> Download? {
        lastID += 1
        let request = DownloadRequest(head, id: DownloadID(rawValue: lastID), page)
        if let failure = rejection(of: request, askedIn: epoch) {
            counters.refused += 1
            send(.download(DownloadEvent(request: request, stage: .failed(failure))))
            return nil
        }
        let download = Download(request, ProgressTracker(Stopwatch(clock), leastBytes: options.leastBytes))
        active[request.id] = download
        return download
    }

    private func rejection(of request: DownloadRequest, askedIn epoch: Int?) -> DownloadError? {
        if isOver { return DownloadError(.cancelled, "the container is closed", at: request.url) }
        // The file may belong to the account.
        if signOuts > 0 { return DownloadError(.cancelled, "an account is being signed out", at: request.url) }
        if let epoch, epoch != self.epoch {
            return DownloadError(.cancelled, "an account was signed out since the request", at: request.url)
        }
        let count = active.values.count { $0.request.page.id == request.page.id }
        guard count < options.pageLimit, active.count < options.limit else {
            return DownloadError(.tooMany, "too many downloads", at: request.url)
        }
        return nil
    }

    private func offer(_ source: DownloadSource, _ head: DownloadHead, as download: Download) {
        let request = DownloadRequest(head, id: download.request.id, download.request.page)
        download.request = request
        download.meter.expect(head.length)
        download.watchdog?.cancel()
        download.phase = .awaitingDecision
        if let failure = failure(of: head, at: request.url) {
            source.refuse()
            return end(download, .failed(failure))
        }
        let apply = { @MainActor [weak self] (decision: DownloadDecision) in
            guard let self, decision != .cancel, download.failure == nil else {
                source.refuse()
                if let failure = download.failure {
                    self?.end(download, .failed(failure))
                } else {
                    self?.remove(download, .unwanted)
                }
                return
            }
            save(source, download, decision)
        }
        guard let host else { return apply(.cancel) }
        guard let withdraw = host.requestDecision(request, then: apply) else { return }
        counters.decisionRequests += 1
        download.stop = withdraw
    }

    /// Returns an error if the head shows that the file cannot be saved. The app is not asked then.
    private func failure(of head: DownloadHead, at url: String) -> DownloadError? {
        if let status = head.status, !(200..<300).contains(status) {
            return DownloadError(.status, "the server responded with status \(status)", at: url)
        }
        if let length = head.length, length > options.byteLimit {
            return DownloadError(.tooLarge, "\(length) bytes, limit \(options.byteLimit)", at: url)
        }
        return nil
    }

    // MARK: Ends

    func record(_ stage: DownloadEvent.Stage, of download: Download) {
        send(.download(DownloadEvent(request: download.request, stage: stage)))
    }

    func end(_ download: Download, _ stage: DownloadEvent.Stage) {
        let ending: Download.Ending = if case .failed(let error) = stage { .failed(error) } else { .whole }
        guard remove(download, ending) else { return }
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
    private func remove(_ download: Download, _ ending: Download.Ending) -> Bool {
        download.close(ending)
        return active.removeValue(forKey: download.request.id) != nil
    }

    /// Ends all downloads, and refuses further downloads. Returns when no partial file remains on disk.
    package func shutDown() async {
        dropPendingDownloads()
        isOver = true
        cancelAll("the container is closed")
        for download in active.values { await download.meter.ended() }
        await sweep.value
    }

    /// Ends all downloads, and refuses further downloads until ``endSignOut()``.
    package func beginSignOut() {
        signOuts += 1
        epoch += 1
        cancelAll("an account was signed out")
        dropPendingDownloads()
    }

    /// Ends downloads that have started since ``beginSignOut()`` and have no response, and accepts downloads again.
    package func endSignOut() {
        dropPendingDownloads()
        signOuts -= 1
    }

    /// Stops the silence limits until ``resume()``.
    package func suspend() {
        isSuspended = true
        for download in active.values { download.watchdog?.cancel() }
    }

    /// Restarts the silence limits after ``suspend()``.
    package func resume() {
        guard isSuspended else { return }
        isSuspended = false
        for download in active.values where download.phase != .awaitingDecision { watch(download) }
    }

    deinit {
        MainActor.runInDeinit { [active] in
            for download in active.values {
                download.cancel(
                    DownloadError(.cancelled, "the container was released", at: download.request.url))
                // The tasks can no longer report, because the manager is being released.
                download.close(download.failure.map { .failed($0) } ?? .unwanted)
            }
        }
    }
}
