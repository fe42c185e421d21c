// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

/// One download, from its beginning to its end.
@MainActor
final class Download {
    var request: DownloadRequest
    let meter = DownloadMeter()
    /// Why it is to end.
    var failure: DownloadError?
    /// Ends what is under way.
    var stop: (() -> Void)?
    var phase = Phase.loading
    var watchdog: Task<Void, Never>?

    enum Phase { case loading, asking, saving }

    init(_ request: DownloadRequest) {
        self.request = request
    }
}
