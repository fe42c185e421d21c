// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PageDownloads
internal import PagePrompts
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

// MARK: - API

extension Container {
    private var manager: DownloadManager? { components.first() }

    /// The downloads in progress that ``/PageDownloads/PageDownloadDelegate/download(_:)`` accepted, oldest first.
    public var downloads: [DownloadRequest] { manager?.requestsBeingSaved ?? [] }

    /// Returns a stream of the progress of a download: the current value, and then each change. A slow reader gets the
    /// newest value only.
    ///
    /// The stream ends with the download; ``ContainerEvent/download(_:_:)`` reports the result. It ends immediately if
    /// the download is not in progress.
    /// - Parameter id: the identifier of the download.
    public func downloadProgress(of id: DownloadID) -> AsyncStream<DownloadProgress> {
        manager?.progress(of: id) ?? AsyncStream { $0.finish() }
    }

    /// Cancels a download and removes its partial file. Does nothing if the download is not in progress.
    /// - Parameter id: the identifier of the download.
    public func cancelDownload(_ id: DownloadID) {
        manager?.cancel(id)
    }
}

// MARK: - Assembly

extension ContainerCore {
    func makeDownloads(_ requests: RequestHandler) async -> DownloadManager {
        await DownloadManager(
            configuration.pages.downloads, clock: configuration.clock, directory: configuration.directory,
            names: names, files: SavedFileLoader(requests: requests)
        ) { [hub] report in
            switch report {
            case .download(let event): hub.send(.download(event.request.page.id, event))
            case .request(let record): hub.send(.request(record))
            }
        }
    }
}

// MARK: - Component

extension DownloadManager: ContainerComponent {
    func page(_ page: PageSession, willLoadIn view: any EngineView, _ opening: PageOpening) { begin(page, in: view) }

    func pageDidClose(_ page: PageSession) { end(page.id) }

    func hostDidTransition(to state: HostState) {
        switch state {
        case .background: break
        case .suspended: suspend()
        case .resumed: resume()
        }
    }

    func removeData(_ removal: AccountDataRemoval) {
        guard removal.contents.contains(.session) else { return }
        switch removal.stage {
        case .began: beginSignOut()
        case .clearing, .ended: break
        case .finished: endSignOut()
        }
    }

    func addCounters(to counters: inout ContainerCounters) { counters.downloads = self.counters }
}

// MARK: - Ports

/// The adapter between downloads and the pages of a container. It requests the app's decisions through the queue of
/// page prompts.
///
/// Isolation: the main actor.
@MainActor
final class PageDownloadAdapter<Engine: WebEngineDriver>: PageDownloadHost {
    private let pages: PageRegistry
    private let locator: PageLocator<Engine>
    private let questions: PageQuestionQueue
    private let hub: EventHub

    init(_ pages: PageRegistry, _ locator: PageLocator<Engine>, _ questions: PageQuestionQueue, _ hub: EventHub) {
        self.pages = pages
        self.locator = locator
        self.questions = questions
        self.hub = hub
    }

    func session(of view: ViewID) -> PageSession? { pages.session(of: view) }

    func realURL(of place: String) -> String { locator.realURL(of: place) }

    func requestDecision(
        _ request: DownloadRequest, then: @escaping @MainActor (DownloadDecision) -> Void
    ) -> (@MainActor () -> Void)? {
        let page = request.page.id
        return questions.send(DownloadQuestion(request: request), of: page, by: pages.delegate) {
            [hub] decision, ending in
            then(decision)
            let record = PageRequestRecord(request: .download(request), answer: .download(decision), ending: ending)
            hub.send(.pageRequest(page, record))
        }
    }
}

/// A download that waits for the app's decision in the queue of its page.
private struct DownloadQuestion: PageQuestion {
    let request: DownloadRequest

    var safeAnswer: DownloadDecision { .cancel }

    // The file is still useful after the page shows another document.
    var survivesNavigation: Bool { true }

    func put(to delegate: any PageDelegate) async throws -> DownloadDecision {
        try await delegate.download(request)
    }
}

/// The loader of downloads that use the container's request pipeline.
private struct SavedFileLoader: SavedFileLoading {
    let requests: RequestHandler

    nonisolated(nonsending) func response(
        saving request: EngineRequest, for page: PageSession
    ) async throws -> ResourceResponse {
        try await requests.answer(saving: requests.resolve(request, for: page))
    }
}
