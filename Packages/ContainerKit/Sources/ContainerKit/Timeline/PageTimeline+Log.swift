// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Logging
internal import ResourceLoading

extension PageTimeline {
    /// What the log says of an open: numbers in milliseconds, and the document without its query. What is not known is
    /// left out.
    var metadata: Logger.Metadata {
        var metadata: Logger.Metadata = [
            "page": "\(page.rawValue)", "url": "\(BareURL.of(documentURL))", "requests": "\(requests.count)",
        ]
        if let mode { metadata["mode"] = "\(mode.rawValue)" }
        if let hasWarmView { metadata["warm"] = "\(hasWarmView)" }
        if droppedRequests > 0 { metadata["dropped"] = "\(droppedRequests)" }
        if let failure { metadata["failure"] = "\(failure)" }
        let times: [(String, Duration?)] = [
            ("check-out", marks.checkOutEnded), ("first-byte", marks.responseStarted),
            ("first-contentful-paint", marks.firstContentfulPaint), ("dom-ready", marks.domReady),
            ("load", marks.loaded), ("failed", marks.failed),
        ]
        for (name, time) in times {
            if let time { metadata[name] = "\(Int(time.inMilliseconds.rounded()))" }
        }
        return metadata
    }
}

extension Duration {
    var inMilliseconds: Double { Double(components.seconds) * 1_000 + Double(components.attoseconds) / 1e15 }
}
