// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import ResourceLoading

/// The container's end of what older pages say in one view: bodies ahead of their requests, and cookies.
///
/// A body belongs to the origin of the document that handed it over: a request of another origin, a frame's for one, does
/// not find it. It is taken once, and goes after the relay's patience, or when the view shows another document.
///
/// Isolation: the main actor, where engines ask.
@MainActor
public final class LegacyBridge {
    private struct Key: Hashable {
        let origin: WebOrigin
        let requestID: String
    }

    private struct Entry {
        let id: BodyID
        let message: LegacyBodyMessage
    }

    /// A question for what was fetched ahead.
    private struct Call {
        let ticket: String
        let origin: WebOrigin
        let work: Task<Void, Never>
        var answer: Result<String, any Error>?
    }

    private let script: LegacyScript
    private let host: any LegacyHosting
    private let relay: BodyRelay
    private var entries: [Key: Entry] = [:]
    /// The oldest first.
    private var calls: [Call] = []

    /// - Parameters:
    ///   - messages: the names that the older pages use.
    ///   - token: shown by the script, and by nobody else; that of the ``PageBridge``, where the view has one.
    ///   - limits: of all bodies that wait; as a body comes whole, `lead` is not looked at.
    ///   - budget: what all pages' bodies together are taken from; `nil` for none.
    ///   - clock: measures the patience of `limits`.
    ///   - host: finds the origins of documents, and answers the messages about cookies and prefetched responses.
    public init(
        _ messages: LegacyMessages, token: BridgeToken, limits: BodyRelay.Limits = .init(), budget: ByteBudget? = nil,
        clock: any Clock<Duration> = ContinuousClock(), host: any LegacyHosting
    ) {
        script = LegacyScript(token: token, messages: messages)
        relay = BodyRelay(limits: limits, budget: budget, clock: clock)
        self.host = host
    }

    /// To be injected into all frames, at document start.
    public var page: String { script.text }
    /// What a text of a dialog begins with that may be for ``answer(to:)``.
    public var prefix: String { script.token.text + " " }

    /// Answers a message of an older page: `{"value": …}`, or `{"error": …}` with the reason.
    ///
    /// The text is the token, `body` or `cookie`, the URL of the document, and the message as JSON. Of `prefetch` the
    /// value is a ticket, with which `prefetched` asks for the answer: it is a text of JSON, empty while there is none.
    /// - Returns: `nil` where it is no such text.
    public func answer(to text: String) -> String? {
        guard let payload = script.token.payload(of: text) else { return nil }
        let fields = payload.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[1].utf8.count <= Self.urlLimit else { return nil }
        let url = String(fields[1])
        let answer: Result<String, any Error>
        switch fields[0] {
        case "body":
            answer = Result { try store(Self.json(fields[2], upTo: LegacyBodyMessage.maxBytes), fromDocument: url) }
        case "cookie":
            answer = Result { try host.cookieLine(of: Self.json(fields[2], upTo: Self.lineLimit), fromDocument: url) }
        case "prefetch":
            answer = Result { try begin(Self.json(fields[2], upTo: Self.callLimit), fromDocument: url) }
        case "prefetched":
            answer = Result { try ending(of: Self.json(fields[2], upTo: Self.lineLimit), fromDocument: url) }
        default: return nil
        }
        switch answer {
        case .success(let value): return Self.object("value", value)
        case .failure(let error): return Self.object("error", String(describing: error))
        }
    }

    /// Takes a body out, once.
    /// - Parameters:
    ///   - requestID: the id that the request and the message with its body carry.
    ///   - origin: the origin of the document whose request it is.
    /// - Returns: `nil` where there is none.
    public func removeBody(_ requestID: String, for origin: WebOrigin) -> LegacyBody? {
        guard let entry = entries.removeValue(forKey: Key(origin: origin, requestID: requestID)),
            let bytes = relay.removeReceivedBytes(entry.id)
        else { return nil }
        let type: String? =
            switch entry.message.kind {
            case .text: "text/plain;charset=UTF-8"
            case .json: "application/json"
            case .binary, .none: nil
            }
        return LegacyBody(
            body: bytes.isEmpty ? .empty : .bytes(bytes), fields: entry.message.fields, contentType: type)
    }

    /// Whether a body waits here that ``removeBody(_:for:)`` would find.
    public func holds(_ requestID: String, for origin: WebOrigin) -> Bool {
        entries[Key(origin: origin, requestID: requestID)].map { relay.holds($0.id) } ?? false
    }

    /// How many bodies wait for their requests.
    public var count: Int { relay.count }

    /// Forgets bodies, and what was asked for, as when the view shows another document.
    public func removeAll() {
        for call in calls { call.work.cancel() }
        calls.removeAll()
        entries.removeAll()
        relay.removeAll()
    }

    private func store(_ json: Data, fromDocument url: String) throws -> String {
        guard let origin = host.origin(ofDocument: url) else {
            throw ResourceError(.blocked, "not a document that may hand over a body")
        }
        var message = try LegacyBodyMessage(json: json)
        let key = Key(origin: origin, requestID: message.requestID)
        if let old = entries.removeValue(forKey: key) { relay.drop(old.id) }
        entries = entries.filter { relay.holds($0.value.id) }
        let id = BodyID()
        do {
            try relay.putNow(message.body, at: 0, of: id)
        } catch {
            relay.drop(id)
            throw error
        }
        // The bytes lie in the relay, which counts them.
        message = message.withoutBody
        entries[key] = Entry(id: id, message: message)
        return message.requestID
    }

    /// Begins to look for what was fetched ahead.
    /// - Returns: the ticket.
    private func begin(_ message: Data, fromDocument url: String) throws -> String {
        guard let origin = host.origin(ofDocument: url) else {
            throw ResourceError(.blocked, "not a document that may ask")
        }
        try evictAnswer(among: Self.maxCalls) { _ in true }
        try evictAnswer(among: Self.maxCallsOfOrigin) { $0 == origin }
        let ticket = BridgeToken().text
        let work = Task { [weak self, host] in
            guard let self else { return }
            do {
                let reply = try await host.prefetched(message, for: origin, by: self)
                complete(ticket, .success(reply.map { String(decoding: $0, as: UTF8.self) } ?? "null"))
            } catch {
                complete(ticket, .failure(error))
            }
        }
        calls.append(Call(ticket: ticket, origin: origin, work: work))
        return ticket
    }

    private func complete(_ ticket: String, _ answer: Result<String, any Error>) {
        guard let index = calls.firstIndex(where: { $0.ticket == ticket }) else { return }
        calls[index].answer = answer
    }

    /// Drops the oldest answer that nobody has come for, as of a frame that is gone, where there are too many
    /// questions.
    private func evictAnswer(among limit: Int, where isMeant: (WebOrigin) -> Bool) throws {
        guard calls.count(where: { isMeant($0.origin) }) >= limit else { return }
        guard let index = calls.firstIndex(where: { $0.answer != nil && isMeant($0.origin) }) else {
            throw ResourceError(.tooLarge, "too many questions at a time")
        }
        calls.remove(at: index)
    }

    /// What a look has found, once; empty while it goes on.
    private func ending(of message: Data, fromDocument url: String) throws -> String {
        let ticket = try JSONDecoder().decode(String.self, from: message)
        guard let index = calls.firstIndex(where: { $0.ticket == ticket }),
            calls[index].origin == host.origin(ofDocument: url)
        else { return "null" }
        guard let answer = calls[index].answer else { return "" }
        calls.remove(at: index)
        return try answer.get()
    }

    /// Pages ask for some interfaces; each question holds an answer until it is asked for.
    private static let maxCalls = 64
    /// Of the documents of one origin, so that a frame leaves room for others.
    private static let maxCallsOfOrigin = 32
    /// The longest message that asks, in bytes as the script writes it.
    private static let callLimit = 1 << 20
    /// In bytes.
    private static let urlLimit = 64 << 10
    /// The longest message of a cookie, in bytes as the script writes it; the host has a limit of its own.
    private static let lineLimit = 64 << 10

    /// The message as the script had it, which wrote yen signs as `\u00a5`: where the page's charset shows yen signs for
    /// backslashes, these are the only ones. JSON by itself escapes none, so that both ways back are exact.
    /// - Throws: `ResourceError` with code `tooLarge` for a text of more bytes.
    private static func json(_ text: Substring, upTo limit: Int) throws -> Data {
        guard text.utf8.count <= limit else {
            throw ResourceError(.tooLarge, "a message of \(text.utf8.count) bytes, more than \(limit)")
        }
        let yen = Array("\u{A5}".utf8)
        let escaped = Array("u00a5".utf8)
        let bytes = Array(text.utf8)
        var result = Data(capacity: bytes.count)
        var index = 0
        /// Passes over a backslash, however it is shown.
        func backslash() -> Bool {
            if index < bytes.count, bytes[index] == UInt8(ascii: "\\") {
                index += 1
            } else if bytes[index...].starts(with: yen) {
                index += yen.count
            } else {
                return false
            }
            return true
        }
        while index < bytes.count {
            if backslash() {
                if bytes[index...].starts(with: escaped) {
                    result.append(contentsOf: yen)
                    index += escaped.count
                    continue
                }
                result.append(UInt8(ascii: "\\"))
                // What is escaped, a backslash too, begins no escape.
                if backslash() {
                    result.append(UInt8(ascii: "\\"))
                    continue
                }
            }
            guard index < bytes.count else { break }
            result.append(bytes[index])
            index += 1
        }
        return result
    }

    private static func object(_ name: String, _ value: String) -> String {
        (try? JSONEncoder().encode([name: value])).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

/// What the bridge of older pages asks its container.
///
/// Isolation: the main actor. The answers are waited for by the page: they have to be there at once.
@MainActor
public protocol LegacyHosting: AnyObject {
    /// The real origin of a document; `nil` where it has none that may hand anything over.
    /// - Parameter url: as the engine names it.
    func origin(ofDocument url: String) -> WebOrigin?
    /// What a cookie message comes to as an assignment to `document.cookie`, which the document's own script then makes.
    /// - Parameters:
    ///   - message: JSON.
    ///   - url: the document's, as the engine names it.
    /// - Throws: where there is no such message, or the document may not set such a cookie.
    func cookieLine(of message: Data, fromDocument url: String) throws -> String
    /// The answer to a request that was made ahead, as the page gets it. Here the page does not wait: it asks again.
    /// - Parameters:
    ///   - message: `{"url": …, "method": …, "body": …}`.
    ///   - origin: of the document that asks.
    ///   - bridge: that of its view.
    /// - Returns: JSON, `{"status": …, "headers": …, "body": …}`; `nil` where there is nothing.
    /// - Throws: where it is no such message.
    func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data?
}

/// What an older page has handed over for a request: taken out of the store once.
public struct LegacyBody: Sendable {
    /// The body.
    public let body: ResourceBody
    /// Header fields, which take the place of the request's own of the same names.
    public let fields: HTTPFields
    /// The type of the body where neither ``fields`` nor the request have one.
    public let contentType: String?

    /// Gives a request its header fields.
    public func complete(_ head: inout HTTPRequest) {
        for field in fields { head.headerFields[field.name] = field.value }
        if head.headerFields[.contentType] == nil, ![.get, .head].contains(head.method) {
            head.headerFields[.contentType] = contentType
        }
        // Of the body that the engine sent, if any.
        head.headerFields[.contentLength] = nil
    }

    /// The body for a request: none by GET and HEAD, as in engines.
    public func body(for method: HTTPRequest.Method) -> ResourceBody {
        [.get, .head].contains(method) ? .empty : body
    }
}
