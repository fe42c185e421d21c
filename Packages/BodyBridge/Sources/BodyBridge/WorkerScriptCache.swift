// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// The responses with the own scripts of classic workers. Each response is stored until the leading script of its
/// worker requests it. The bodies are in the relay, whose limits apply.
struct WorkerScriptCache {
    /// The maximum number of responses. A further response removes the oldest.
    private static let limit = 64

    private let relay: BodyRelay
    /// The responses without their bodies, newest last.
    private var entries: [(url: String, answer: ResourceResponse, body: BodyID)] = []

    init(in relay: BodyRelay) {
        self.relay = relay
    }

    /// Adds a response whose whole body is in the relay.
    mutating func add(_ answer: ResourceResponse, body: BodyID, of url: String) {
        var answer = answer
        answer.body = .empty
        entries.append((url, answer, body))
        if entries.count > Self.limit { relay.drop(entries.removeFirst().body) }
    }

    /// Removes and returns the stored response for a request of a leading script. A leading script's request has the
    /// script's URL as its referrer and no header fields of the page. The worker's own script could make the same
    /// request.
    mutating func removeResponse(for head: HTTPRequest) -> ResourceResponse? {
        guard !entries.isEmpty, head.method == .get else { return nil }
        let (url, fields) = (head.urlText, head.headerFields)
        guard fields[.referer] == url, fields[.origin] == nil, fields[.range] == nil,
            let index = entries.lastIndex(where: { $0.url == url })
        else { return nil }
        var (_, answer, id) = entries.remove(at: index)
        // An empty script has no entry in the relay.
        guard let body = relay.removeReceivedBytes(id) else { return nil }
        answer.body = .bytes(body)
        return answer
    }

    /// Drops the responses of a URL.
    mutating func drop(_ url: String) {
        for entry in entries where entry.url == url { relay.drop(entry.body) }
        entries.removeAll { $0.url == url }
    }

    /// Removes all responses. Their bodies stay in the relay.
    mutating func removeAll() {
        entries.removeAll()
    }
}

/// A worker's script, combined with the script of the container that runs before it.
///
/// `importScripts` runs the script of a classic worker, so that its line numbers, directives and URL are unchanged. The
/// script of a module worker follows an import of the leading script, which runs first.
public struct WorkerScript: Sendable {
    /// A Boolean value that indicates whether ``text(leading:)`` needs the worker's own script.
    public let isModule: Bool
    /// The URL that the engine requests, without a fragment.
    let url: String
    /// The number of the document that made the worker; see ``PageBridge/storeResponse(_:of:)``.
    let visit: Int
    let prelude: String

    /// Returns the text that the worker gets in place of its own script.
    /// - Parameter own: the worker's own script, if it is a module.
    public func text(leading own: String) -> String {
        isModule ? prelude + own : prelude
    }
}
