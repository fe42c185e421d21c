// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import CommandSupport
internal import Foundation

/// An opening in the HTTP Archive format 1.2.
@MainActor
struct HARFile {
    let summary: OpenSummary
    let opening: Opening

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(Document(log: log)), as: UTF8.self)
    }

    private var log: Log {
        Log(
            browser: Program(name: summary.engine, version: ""),
            pages: [
                Page(
                    startedDateTime: stamp(0), title: summary.url,
                    pageTimings: .init(onContentLoad: opening.result.domReadyMs, onLoad: opening.result.loadMs))
            ], entries: opening.timeline.map(entry))
    }

    private func entry(of request: TimelineEntry) -> Entry {
        let firstByte = request.firstByte ?? request.end
        return Entry(
            startedDateTime: stamp(request.start), time: request.end - request.start,
            request: .init(method: request.method, url: request.url),
            response: .init(
                status: request.status ?? 0,
                content: .init(size: request.bytes ?? 0, mimeType: request.mediaType ?? "application/octet-stream"),
                bodySize: request.bytes ?? -1),
            timings: .init(wait: max(firstByte - request.start, 0), receive: max(request.end - firstByte, 0)),
            comment: "\(request.provenance): \(request.reason)")
    }

    private func stamp(_ milliseconds: Double) -> String {
        opening.called.addingTimeInterval(milliseconds / 1_000)
            .formatted(
                .iso8601.year().month().day().timeZone(separator: .omitted).time(includingFractionalSeconds: true))
    }

    // The names of the format; what is not measured has the values that it prescribes.

    private struct Document: Encodable { let log: Log }

    private struct Log: Encodable {
        var version = "1.2"
        var creator = Program(name: "container-browser", version: ProgramVersion.current)
        let browser: Program
        let pages: [Page]
        let entries: [Entry]
    }

    private struct Program: Encodable {
        let name: String
        let version: String
    }

    private struct Page: Encodable {
        struct Timings: Encodable {
            let onContentLoad: Double?
            let onLoad: Double?
        }

        let startedDateTime: String
        var id = "page"
        let title: String
        let pageTimings: Timings
    }

    private struct Entry: Encodable {
        struct Request: Encodable {
            let method: String
            let url: String
            var httpVersion = "HTTP/1.1"
            var cookies: [String] = []
            var headers: [String] = []
            var queryString: [String] = []
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
            var httpVersion = "HTTP/1.1"
            var cookies: [String] = []
            var headers: [String] = []
            let content: Content
            var redirectURL = ""
            var headersSize = -1
            let bodySize: Int64
        }

        struct Timings: Encodable {
            var send = 0.0
            let wait: Double
            let receive: Double
        }

        struct Cache: Encodable {}

        var pageref = "page"
        let startedDateTime: String
        let time: Double
        let request: Request
        let response: Response
        var cache = Cache()
        let timings: Timings
        let comment: String
    }
}
