// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ContainerKit
internal import HTTPTypes
internal import ResourceLoading

/// The report of one opening: a page with the waterfall, and a HAR 1.2 file.
@MainActor
struct OpenReport {
    let summary: OpenSummary
    let opening: Opening

    /// Writes `index.html`, `page.har` and, if a picture was taken, `page.png`.
    func write(to directory: String) throws {
        try FileOutput.makeDirectory(directory)
        if let picture = opening.snapshot { try FileOutput.write(picture.png, to: "\(directory)/page.png") }
        try FileOutput.write(try HARFile(summary: summary, opening: opening).json(), to: "\(directory)/page.har")
        try FileOutput.write(page(), to: "\(directory)/index.html")
    }

    private func page() -> String {
        let longest = max(opening.timeline.map(\.end).max() ?? 1, 1)
        let place = HTTPRequest(urlText: summary.url)?.authority
        let rows = opening.timeline.map { row(of: $0, longest: longest, pagePlace: place) }.joined()
        return HTML.page(
            title: "How \(summary.url) opened",
            body: """
                <h1>How the page opened</h1>
                <pre>\(summary.lines.map(HTML.escaped).joined(separator: "\n"))</pre>
                <h2>Requests</h2>
                <p>A bar begins when the request begins and ends with its last byte. The full width is \
                \(Int(longest)) ms from the call to open. Green: from a package. Red: no response.</p>
                <table class="waterfall">
                <tr><th>request</th><th>status</th><th>bytes</th><th>from</th><th>time</th></tr>
                \(rows)</table>
                <h2>Picture</h2>
                <figure><img src="page.png" alt="\(HTML.escaped("The page \(summary.url) as it opened"))"></figure>
                """)
    }

    private func row(of entry: TimelineEntry, longest: Double, pagePlace: String?) -> String {
        let left = max(entry.start, 0) / longest * 100
        let width = (entry.end - entry.start) / longest * 100
        let title = "\(entry.url)\n\(entry.reason)\n\(Int(entry.start))–\(Int(entry.end)) ms"
        return """
            <tr title="\(HTML.escaped(title))"><td class="url">\(HTML.escaped(entry.name(besides: pagePlace)))</td>\
            <td>\(entry.status.map { "\($0)" } ?? "–")</td><td>\(entry.bytes.map { "\($0)" } ?? "–")</td>\
            <td>\(HTML.escaped(entry.provenance))</td><td><div class="bar \(HTML.escaped(entry.provenance))" \
            style="left:min(\(left)%, 100% - 4px);width:\(max(min(width, 100 - left), 0))%"></div></td></tr>
            """
    }
}

extension TimelineEntry {
    /// Returns the last part of the path. The host and port precede the part if they differ from the page's. If there
    /// was no response, the reason follows the part.
    fileprivate func name(besides pagePlace: String?) -> String {
        let path = url.prefix { $0 != "?" && $0 != "#" }
        let last = path.split(separator: "/").last.map(String.init) ?? url
        let place = HTTPRequest(urlText: url)?.authority ?? last
        let name = place == pagePlace || place == last ? last : "\(place): \(last)"
        return provenance == "failed" ? "\(name) (\(reason))" : name
    }
}
