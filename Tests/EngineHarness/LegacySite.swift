// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import HTTPTransport
internal import HTTPTypes
internal import ResourceLoading

/// A legacy page and a server in memory that records received requests.
final class LegacySite: HTTPTransporting {
    /// A request to `/record/…`.
    struct Sent: Sendable {
        var head: HTTPRequest
        var body: Data

        func field(_ name: String) -> String? { HTTPField.Name(name).flatMap { head.headerFields[$0] } }
    }

    let capabilities: TransportCapabilities = []
    private let files: [String: String]
    private let recorded = Mutex<[String: [Sent]]>([:])

    /// Creates the site.
    /// - Parameter folder: The folder of the page's files.
    init(_ folder: String) throws {
        let read = { (name: String) in try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8) }
        files = ["/": try read("index.html"), "/older.js": try read("older.js"), "/frame": try read("frame.html")]
    }

    /// The received requests by the last path component.
    var sent: [String: [Sent]] { recorded.withLock { $0 } }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        let path = (request.path ?? "").prefix { $0 != "?" }
        if request.method == .get, let file = files[String(path)] {
            var answer = TransportResponse.page(file)
            if path.hasSuffix(".js") { answer.head.headerFields[.contentType] = "text/javascript" }
            answer.head.headerFields[.setCookie] = path == "/" ? "first=1; Max-Age=600" : nil
            return answer
        }
        let name = String(path.split(separator: "/").last ?? "")
        if request.method != .options {
            let sent = Sent(head: request, body: try await body.collect(upTo: 64 << 20))
            recorded.withLock { $0[name, default: []].append(sent) }
        }
        var answer = TransportResponse.page("recorded")
        answer.head.headerFields[.cacheControl] = "no-store"
        if let name = HTTPField.Name("Access-Control-Allow-Headers") { answer.head.headerFields[name] = "*" }
        return answer
    }
}
