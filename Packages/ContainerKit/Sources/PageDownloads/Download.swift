// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading
internal import WebEngine

/// One download, from its start to its end.
@MainActor
final class Download {
    var request: DownloadRequest
    let meter: ProgressTracker
    /// The error with which the download is being cancelled.
    var failure: DownloadError?
    /// A closure that ends the current phase.
    var stop: (() -> Void)?
    var phase = Phase.loading
    var watchdog: Task<Void, Never>?
    /// A closure that receives the number of received bytes and the result, once.
    var onEnd: ((Int64, Ending) -> Void)?

    enum Phase { case loading, awaitingDecision, saving }
    /// The result of a download; `unwanted` if the app declined it.
    enum Ending { case whole, unwanted, failed(DownloadError) }

    init(_ request: DownloadRequest, _ meter: ProgressTracker) {
        self.request = request
        self.meter = meter
    }

    /// Ends the current phase with an error. Does nothing if the download is being cancelled already.
    func cancel(_ reason: DownloadError) {
        guard failure == nil else { return }
        failure = reason
        stop?()
    }

    /// Ends the progress and the time limit, and reports the result.
    func close(_ ending: Ending) {
        watchdog?.cancel()
        meter.finish()
        onEnd?(meter.received, ending)
        onEnd = nil
    }
}

/// The source of the bytes of a download.
enum DownloadSource: Sendable {
    case engine(any EngineDownload)
    /// The body of a response that the container has requested itself. No part of it has been read.
    case response(ResourceBody)

    /// Releases the source without reading it.
    @MainActor
    func refuse() {
        switch self {
        case .engine(let download): download.cancel()
        case .response(.stream(let stream)):
            // The producer of the stream ends when its reader is cancelled.
            let reading = Task { for try await _ in stream { break } }
            reading.cancel()
        case .response: break
        }
    }
}

/// The properties of a file before its bytes arrive.
struct DownloadHead {
    var url: String
    var name: String?
    var mediaType: String?
    var length: Int64?
    var status: Int?
    var isUserGesture: Bool
}

extension DownloadHead {
    init(_ head: EngineDownloadHead) {
        self.init(
            url: head.url, name: head.suggestedName, mediaType: head.mediaType, length: head.length,
            status: head.status, isUserGesture: head.isUserGesture)
    }

    init(_ response: ResourceResponse, url: String, isUserGesture: Bool) {
        let fields = response.head.headerFields
        self.init(
            url: url, name: ContentDisposition(fields[.contentDisposition]).fileName, mediaType: fields[.contentType],
            length: response.body.length, status: response.head.status.code, isUserGesture: isUserGesture)
    }
}
