// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import Foundation
public import HTTPTypes
public import ResourceLoading
internal import WebSyntax

/// The native side of the messages of older pages in one view: bodies sent before their requests, and cookies.
///
/// A body belongs to the origin of the document that sent it. A request of another origin, for example of a frame, does
/// not get the body. A body can be removed once. It is dropped after the patience of the relay, or when the view shows
/// another document.
///
/// Isolation: the main actor, on which engines call it.
@MainActor
@_spi(Facade) public final class LegacyBridge {
    private struct Key: Hashable {
        let origin: WebOrigin
        let requestID: ByteText
    }

    private struct Entry {
        let id: BodyID
        let message: LegacyBodyMessage
    }

    /// A request for a prefetched response.
    private struct Call {
        let ticket: String
        let origin: WebOrigin
        let work: Task<Void, Never>
        var answer: Result<String, any Error>?
    }

    private let script: LegacyScript
    private let host: any LegacyHosting
    private let relay: BodyRelay
    private let onRefusal: @MainActor (_ kind: String, _ reason: String, _ origin: String) -> Void
    /// The kinds and reasons of the refused messages of the current document that have been reported.
    private var refusals: Set<String> = []
    private var entries: [Key: Entry] = [:]
    /// The requests for prefetched responses, oldest first.
    private var calls: [Call] = []

    /// Creates the bridge of one view.
    /// - Parameters:
    ///   - messages: the names that older pages use.
    ///   - token: the token that authenticates the script. If the view has a ``PageBridge``, it is the token of that
    ///     bridge.
    ///   - limits: the limits of all waiting bodies. `lead` is not used, because a body arrives in one piece.
    ///   - budget: the budget for the bodies of all pages together; `nil` for none.
    ///   - clock: the clock for the patience of `limits`.
    ///   - host: the object that resolves document origins, and replies to messages about cookies and prefetched
    ///     responses.
    ///   - onRefusal: a closure that is called when a message is refused, once for each kind and reason until the view
    ///     shows another document, and at most 16 times. The arguments are the kind, the reason, and the origin of
    ///     the document.
    public init(
        _ messages: LegacyMessages, token: BridgeToken, limits: BodyLimits = .init(), budget: ByteBudget? = nil,
        clock: any Clock<Duration> = ContinuousClock(), host: any LegacyHosting,
        onRefusal: @escaping @MainActor (_ kind: String, _ reason: String, _ origin: String) -> Void = { _, _, _ in }
    ) {
        script = LegacyScript(token: token, messages: messages)
        relay = BodyRelay(limits: limits, budget: budget, clock: clock)
        self.host = host
        self.onRefusal = onRefusal
    }

    /// The script to inject into all frames at document start.
    public var page: String { script.text }
    /// The prefix of a dialog text that must be passed to ``answer(to:)``.
    public var prefix: String { script.token.text + " " }

    /// Replies to a message of an older page with `{"value": …}`, or with `{"error": …}` and the reason.
    ///
    /// The text is the token, a kind, the URL of the document, and the message as JSON. The kind is `body`, `cookie`,
    /// `prefetch` or `prefetched`. The value for `prefetch` is a ticket, with which `prefetched` requests the response.
    /// The value for `prefetched` is a JSON text, which is empty until the response is available.
    /// - Returns: `nil` if the text does not have this form.
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
        case .failure(let error):
            report(error, of: fields[0] == "prefetched" ? "prefetch" : String(fields[0]), fromDocument: url)
            return Self.object("error", String(describing: error))
        }
    }

    private func report(_ error: any Error, of kind: String, fromDocument url: String) {
        let reason = String(describing: error)
        guard !(error is CancellationError), refusals.count < Self.maxRefusals,
            refusals.insert("\(kind) \(reason)").inserted
        else { return }
        onRefusal(kind, reason, host.origin(ofDocument: url).map { "\($0)" } ?? "another scheme")
    }

    /// Removes and returns a body.
    /// - Parameters:
    ///   - requestID: the id that the request and the message with its body carry.
    ///   - origin: the origin of the document that makes the request.
    /// - Returns: `nil` if there is no body of this id and origin.
    public func removeBody(_ requestID: String, for origin: WebOrigin) -> LegacyBody? {
        guard let entry = entries.removeValue(forKey: Key(origin: origin, requestID: ByteText(requestID))),
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

    /// Returns a Boolean value that indicates whether ``removeBody(_:for:)`` would find a body.
    public func holds(_ requestID: String, for origin: WebOrigin) -> Bool {
        entries[Key(origin: origin, requestID: ByteText(requestID))].map { relay.holds($0.id) } ?? false
    }

    /// The number of bodies that wait for their requests.
    public var count: Int { relay.count }

    /// Drops all bodies and requests for prefetched responses, for example when the view shows another document.
    public func removeAll() {
        for call in calls { call.work.cancel() }
        calls.removeAll()
        entries.removeAll()
        relay.removeAll()
        refusals.removeAll()
    }

    private func store(_ json: Data, fromDocument url: String) throws -> String {
        guard let origin = host.origin(ofDocument: url) else {
            throw ResourceError(.blocked, "the document may not send a body")
        }
        var message = try LegacyBodyMessage(json: json)
        let key = Key(origin: origin, requestID: ByteText(message.requestID))
        if let old = entries.removeValue(forKey: key) { relay.drop(old.id) }
        entries = entries.filter { relay.holds($0.value.id) }
        let id = BodyID()
        do {
            try relay.putNow(message.body, at: 0, of: id)
        } catch {
            relay.drop(id)
            throw error
        }
        // The bytes are in the relay, which counts them.
        message = message.withoutBody
        entries[key] = Entry(id: id, message: message)
        return message.requestID
    }

    /// Starts a lookup of a prefetched response.
    /// - Returns: the ticket.
    private func begin(_ message: Data, fromDocument url: String) throws -> String {
        guard let origin = host.origin(ofDocument: url) else {
            throw ResourceError(.blocked, "the document may not request a prefetched response")
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

    /// Removes the oldest result that no document has requested, for example of a closed frame, if the limit of lookups
    /// is reached.
    private func evictAnswer(among limit: Int, where isIncluded: (WebOrigin) -> Bool) throws {
        guard calls.count(where: { isIncluded($0.origin) }) >= limit else { return }
        guard let index = calls.firstIndex(where: { $0.answer != nil && isIncluded($0.origin) }) else {
            throw ResourceError(.tooLarge, "too many requests for prefetched responses at a time")
        }
        calls.remove(at: index)
    }

    /// Returns the result of a lookup, and removes the lookup. Returns an empty text while the lookup is in progress.
    private func ending(of message: Data, fromDocument url: String) throws -> String {
        let ticket = try JSONDecoder().decode(String.self, from: message)
        guard let index = calls.firstIndex(where: { $0.ticket == ticket }),
            calls[index].origin == host.origin(ofDocument: url)
        else { return "null" }
        guard let answer = calls[index].answer else { return "" }
        calls.remove(at: index)
        return try answer.get()
    }

    /// The maximum number of lookups. Each lookup stores its result until a document requests it.
    private static let maxCalls = 64
    /// The maximum number of lookups of one origin, so that a frame does not use up the lookups of other origins.
    private static let maxCallsOfOrigin = 32
    /// The maximum number of reported refusals of a document.
    private static let maxRefusals = 16
    /// The maximum length of a prefetch message, in bytes as the script writes it.
    private static let callLimit = 1 << 20
    /// The maximum length of a URL, in bytes.
    private static let urlLimit = 64 << 10
    /// The maximum length of a cookie message, in bytes as the script writes it; the host has its own limit.
    private static let lineLimit = 64 << 10

    /// Returns the JSON of the message, with the changes of the dialog undone.
    ///
    /// The script wrote yen signs as `\u00a5`. If the charset of the page shows backslashes as yen signs, every
    /// remaining yen sign is a backslash. JSON itself does not escape yen signs, so both conversions are exact.
    /// - Throws: `ResourceError` with code `tooLarge` if the text is too long.
    private static func json(_ text: Substring, upTo limit: Int) throws -> Data {
        guard text.utf8.count <= limit else {
            throw ResourceError(.tooLarge, "the message has \(text.utf8.count) bytes, more than \(limit)")
        }
        let yen = Array("\u{A5}".utf8)
        let escaped = Array("u00a5".utf8)
        let bytes = Array(text.utf8)
        var result = Data(capacity: bytes.count)
        var index = 0
        /// Skips a backslash or a yen sign, and returns a Boolean value that indicates whether one was present.
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
                // The second of two backslashes starts no escape.
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

/// The decisions and responses that the bridge of older pages requests from its container.
///
/// Isolation: the main actor. The page waits for the results, so they must be available without suspension.
@MainActor
@_spi(Facade) public protocol LegacyHosting: AnyObject {
    /// Returns the real origin of a document, or `nil` if the document may not send messages.
    /// - Parameter url: the URL of the document, as the engine names it.
    func origin(ofDocument url: String) -> WebOrigin?
    /// Returns the `document.cookie` assignment for a cookie message, which the document's own script then makes.
    /// - Parameters:
    ///   - message: the message, as JSON.
    ///   - url: the URL of the document, as the engine names it.
    /// - Throws: an error if the message is invalid or the document may not set such a cookie.
    func cookieLine(of message: Data, fromDocument url: String) throws -> String
    /// Returns a prefetched response for a page. The page does not wait for it; its script polls for the result.
    /// - Parameters:
    ///   - message: `{"url": …, "method": …, "body": …}`.
    ///   - origin: the origin of the requesting document.
    ///   - bridge: the bridge of the document's view.
    /// - Returns: JSON, `{"status": …, "headers": …, "body": …}`; `nil` if there is no response.
    /// - Throws: an error if the message is invalid.
    func prefetched(_ message: Data, for origin: WebOrigin, by bridge: LegacyBridge) async throws -> Data?
}

/// The data that an older page has sent for a request.
@_spi(Facade) public struct LegacyBody: Sendable {
    /// The body.
    public let body: ResourceBody
    /// The header fields, which replace the request's fields of the same names.
    public let fields: HTTPFields
    /// The content type that applies if neither ``fields`` nor the request has a content type.
    public let contentType: String?

    /// Sets the header fields of a request.
    public func complete(_ head: inout HTTPRequest) {
        for field in fields { head.headerFields[field.name] = field.value }
        if head.headerFields[.contentType] == nil, ![.get, .head].contains(head.method) {
            head.headerFields[.contentType] = contentType
        }
        // The field has the length of the body that the engine sent.
        head.headerFields[.contentLength] = nil
    }

    /// Returns the body for a request; empty for GET and HEAD, as in engines.
    public func body(for method: HTTPRequest.Method) -> ResourceBody {
        [.get, .head].contains(method) ? .empty : body
    }
}
