// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import PageDownloads
internal import PagePrompts
internal import RequestPipeline
internal import ResourceLoading
internal import WebEngine

// Assembles PageDownloads, and has the container's methods for downloads.
extension Container: PageDownloadHost {
    /// The downloads in progress that ``/PageDownloads/PageDownloadDelegate/download(_:)`` accepted, the oldest first.
    public var downloads: [DownloadRequest] { downloadManager.requestsBeingSaved }

    /// Returns the progress of a download: its present value, and then each change. A slow reader gets the newest value only.
    ///
    /// The sequence ends with the download; ``ContainerEvent/download(_:_:)`` reports the result. It ends at once if the
    /// download is not in progress.
    /// - Parameter id: the identity of the download.
    public func downloadProgress(of id: DownloadID) -> AsyncStream<DownloadProgress> {
        downloadManager.progress(of: id)
    }

    /// Cancels a download and removes its bytes. Does nothing if the download is not in progress.
    /// - Parameter id: the identity of the download.
    public func cancelDownload(_ id: DownloadID) {
        downloadManager.cancel(id)
    }

    static func openDownloads(
        _ configuration: ContainerConfiguration, _ requests: RequestHandler, _ hub: EventHub
    ) async -> DownloadManager {
        await DownloadManager(
            configuration.pages.downloads, clock: configuration.clock, directory: configuration.directory,
            names: configuration.pages.schemeNames, files: SavedFileLoader(requests: requests)
        ) { [hub] report in
            switch report {
            case .download(let event): hub.send(.download(event.request.page.id, event))
            case .request(let record): hub.send(.request(record))
            }
        }
    }

    package func ask(
        _ request: DownloadRequest, then: @escaping @MainActor (DownloadDecision) -> Void
    ) -> (@MainActor () -> Void)? {
        let page = request.page.id
        return pageRequests.questions.ask(DownloadQuestion(request: request), of: page, by: pageDelegate) {
            [hub] decision, ending in
            then(decision)
            let record = PageRequestRecord(request: .download(request), answer: .download(decision), ending: ending)
            hub.send(.pageRequest(page, record))
        }
    }
}

/// A download that waits for the app among the prompts of its page.
private struct DownloadQuestion: PageQuestion {
    let request: DownloadRequest

    var safeAnswer: DownloadDecision { .cancel }

    // The file is still of use when the page shows another document.
    var survivesNavigation: Bool { true }

    func put(to delegate: any PageDelegate) async throws -> DownloadDecision {
        try await delegate.download(request)
    }
}

/// Requests files through the container's own pipeline.
private struct SavedFileLoader: SavedFileLoading {
    let requests: RequestHandler

    nonisolated(nonsending) func response(
        saving request: EngineRequest, for page: PageSession
    ) async throws -> ResourceResponse {
        try await requests.answer(saving: requests.resolve(request, for: page))
    }
}
