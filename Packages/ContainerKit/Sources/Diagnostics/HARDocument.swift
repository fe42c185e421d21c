// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import Foundation
internal import ResourceLoading

/// A document of the HTTP Archive format 1.2. Unknown values have the defaults that the format prescribes.
struct HARDocument: Encodable {
    struct Log: Encodable {
        var version = "1.2"
        let creator: HARExport.Program
        let browser: HARExport.Program?
        let pages: [Page]
        let entries: [Entry]
    }

    struct Page: Encodable {
        struct Timings: Encodable {
            let onContentLoad: Double
            let onLoad: Double
            /// A custom field, which the format marks with an underscore.
            let _firstContentfulPaint: Double?
        }

        let startedDateTime: String
        let id: String
        let title: String
        let pageTimings: Timings
    }

    struct Entry: Encodable {
        struct Parameter: Encodable, Hashable {
            let name: String
            let value: String
        }

        struct Request: Encodable {
            let method: String
            let url: String
            var httpVersion = "unknown"
            var cookies: [String] = []
            var headers: [String] = []
            let queryString: [Parameter]
            var headersSize = -1
            var bodySize = -1
        }

        struct Response: Encodable {
            struct Content: Encodable {
                let size: Int64
                let mimeType: String
            }

            let status: Int
            var statusText = ""
            var httpVersion = "unknown"
            var cookies: [String] = []
            var headers: [String] = []
            let content: Content
            var redirectURL = ""
            var headersSize = -1
            let bodySize: Int64
        }

        /// The phases of a request, in milliseconds. The format requires all three, and none may be negative.
        struct Timings: Encodable {
            var send = 0.0
            let wait: Double
            let receive: Double
        }

        struct Cache: Encodable {}

        let pageref: String
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        var cache = Cache()
        let timings: Timings
        let comment: String
    }

    let log: Log
}

extension HARDocument {
    init(_ timelines: [PageTimeline], _ export: HARExport) {
        let numbered = timelines.enumerated().map { ("page_\($0.offset + 1)", $0.element) }
        log = Log(
            creator: export.creator, browser: export.browser,
            pages: numbered.map { Page($0.1, id: $0.0, export) },
            entries: numbered.flatMap { id, timeline in
                timeline.requests.enumerated()
                    // Requests without a start come last, in the order in which they ended, so that the order is
                    // stable.
                    .sorted { ($0.element.order, $0.offset) < ($1.element.order, $1.offset) }
                    .map { Entry($0.element, of: timeline, id: id, export) }
            })
    }
}

extension HARDocument.Page {
    init(_ timeline: PageTimeline, id: String, _ export: HARExport) {
        startedDateTime = timeline.stamp(.zero)
        self.id = id
        title = export.exportedURL(timeline.documentURL)
        pageTimings = Timings(
            onContentLoad: timeline.marks.domReady?.inMilliseconds ?? -1,
            onLoad: timeline.marks.loaded?.inMilliseconds ?? -1,
            _firstContentfulPaint: timeline.marks.firstContentfulPaint?.inMilliseconds)
    }
}

extension HARDocument.Entry {
    init(_ recorded: PageTimeline.Request, of timeline: PageTimeline, id: String, _ export: HARExport) {
        pageref = id
        let begin = recorded.started ?? recorded.ended ?? .zero
        let end = max(recorded.ended ?? begin, begin)
        let responded = min(max(recorded.responded ?? end, begin), end)
        startedDateTime = timeline.stamp(begin)
        timings = Timings(wait: (responded - begin).inMilliseconds, receive: (end - responded).inMilliseconds)
        time = timings.send + timings.wait + timings.receive
        let url = export.exportedURL(recorded.url)
        request = Request(method: recorded.method, url: url, queryString: Self.parameters(of: url))
        response = Response(
            status: recorded.status ?? 0,
            content: .init(size: recorded.bytes ?? 0, mimeType: recorded.mediaType ?? "application/octet-stream"),
            bodySize: recorded.bytes ?? -1)
        let source =
            recorded.provenance?.rawValue
            ?? (recorded.initiator == .engine && recorded.status != nil ? "engine" : "failed")
        // A reason may contain the URL.
        let reason = export.omitsQueries ? nil : recorded.reason
        let unknown = recorded.started == nil ? "start time unknown" : nil
        // The reason of a response from a package already begins with the source.
        let parts = reason.map { $0.hasPrefix(source + " ") ? [$0] : [source, $0] } ?? [source]
        comment = (parts + [unknown].compactMap { $0 }).joined(separator: ": ")
    }

    /// Returns the query parameters of a URL, percent-encoded as in the URL.
    static func parameters(of url: String) -> [Parameter] {
        let bare = url.prefix { $0 != "#" }
        guard let mark = bare.firstIndex(of: "?") else { return [] }
        return bare[bare.index(after: mark)...].split(separator: "&").map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return Parameter(name: String(parts[0]), value: parts.count > 1 ? String(parts[1]) : "")
        }
    }
}

extension PageTimeline {
    /// Returns the date of a mark in ISO 8601, in UTC, with milliseconds.
    fileprivate func stamp(_ time: Duration) -> String {
        // The format style truncates to milliseconds. Half a millisecond is added so that 0.3 does not become 0.299.
        let whole = (opened.timeIntervalSince1970 * 1_000 + time.inMilliseconds).rounded()
        return Date(timeIntervalSince1970: (whole + 0.5) / 1_000)
            .formatted(
                .iso8601.year().month().day().timeZone(separator: .colon).time(includingFractionalSeconds: true))
    }
}

extension PageTimeline.Request {
    fileprivate var order: Duration { started ?? .seconds(Int64.max) }
}
