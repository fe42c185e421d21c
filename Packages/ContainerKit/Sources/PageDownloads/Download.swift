// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// One download, from its beginning to its end.
@MainActor
final class Download {
    var request: DownloadRequest
    let meter: ProgressTracker
    /// Why it is to end.
    var failure: DownloadError?
    /// Ends what is under way.
    var stop: (() -> Void)?
    var phase = Phase.loading
    var watchdog: Task<Void, Never>?
    /// Hears how many bytes came, and what became of them.
    var onEnd: ((Int64, Ending) -> Void)?

    enum Phase { case loading, asking, saving }
    /// `unwanted` is what the host did not want.
    enum Ending { case whole, unwanted, failed(DownloadError) }

    init(_ request: DownloadRequest, _ meter: ProgressTracker) {
        self.request = request
        self.meter = meter
    }

    /// Nothing comes of it any more.
    func close(_ ending: Ending) {
        watchdog?.cancel()
        meter.finish()
        onEnd?(meter.received, ending)
        onEnd = nil
    }
}
