// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// Answers with classic workers' own scripts, until the script in front of each asks for its own: the bodies lie in the
/// relay, by whose limits they are forgotten.
struct WorkerScriptCache {
    /// The most that wait; the oldest goes first.
    private static let limit = 64

    private let relay: BodyRelay
    /// Newest last; without their bodies.
    private var entries: [(url: String, answer: ResourceResponse, body: BodyID)] = []

    init(in relay: BodyRelay) {
        self.relay = relay
    }

    /// Adds an answer whose whole body is in the relay.
    mutating func add(_ answer: ResourceResponse, body: BodyID, of url: String) {
        var answer = answer
        answer.body = .empty
        entries.append((url, answer, body))
        if entries.count > Self.limit { relay.drop(entries.removeFirst().body) }
    }

    /// What was kept of this URL, for a request as the script in front makes it: by the file that it is for, with no word of
    /// the page's. The file could ask for itself so, too.
    mutating func removeResponse(for head: HTTPRequest) -> ResourceResponse? {
        guard !entries.isEmpty, head.method == .get else { return nil }
        let (url, fields) = (head.urlText, head.headerFields)
        guard fields[.referer] == url, fields[.origin] == nil, fields[.range] == nil,
            let index = entries.lastIndex(where: { $0.url == url })
        else { return nil }
        var (_, answer, id) = entries.remove(at: index)
        // An empty script has nothing in the relay.
        guard let body = relay.removeReceivedBytes(id) else { return nil }
        answer.body = .bytes(body)
        return answer
    }

    /// Forgets what is here of a URL.
    mutating func drop(_ url: String) {
        for entry in entries where entry.url == url { relay.drop(entry.body) }
        entries.removeAll { $0.url == url }
    }

    /// Forgets all, but for what lies in the relay.
    mutating func removeAll() {
        entries.removeAll()
    }
}

/// A worker's script, and how the container's comes before it.
///
/// A classic worker's own script is run by `importScripts`, so that it stays what it is: its lines, its directives and its
/// name. A module's comes after an import, which runs before all of it.
public struct WorkerScript: Sendable {
    /// Whether ``text(leading:)`` needs the worker's own script.
    public let isModule: Bool
    /// As the engine asks for it, without a fragment.
    let url: String
    /// Of the page that made the worker: see ``PageBridge/keep(_:of:)``.
    let visit: Int
    let prelude: String

    /// What the worker gets in place of its own script.
    /// - Parameter own: the worker's own script, where it is a module.
    public func text(leading own: String) -> String {
        isModule ? prelude + own : prelude
    }
}
