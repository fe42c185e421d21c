// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1
internal import ResourceLoading

/// The state of one request and its response on a connection. Tests run its events in all orders.
///
/// The request is received as head, body and end. The response is sent as head, data and end. A response may begin, and
/// even end, before its request ends. The engine may close the connection at any time; nothing is sent after the close.
struct ExchangeState: Sendable, Equatable {
    /// An event of an exchange.
    enum Event: Sendable, CaseIterable {
        /// The last byte of the request was received.
        case requestEnd
        /// The response head is about to be sent.
        case head
        /// A chunk of the response body is about to be sent.
        case data
        /// The response is complete.
        case end
        /// The response failed before or after its head.
        case fail
        /// The connection was closed.
        case close
    }

    /// The action after an event.
    enum Step: Sendable, Equatable {
        /// Perform the event.
        case proceed
        /// Ignore the event, because the exchange has ended.
        case drop
        /// Ignore the event, because it violates the order. This indicates a programming error.
        case outOfOrder
        /// Perform the event. The connection is then ready for the next request.
        case next
        /// Perform the event, then close the connection.
        case close
    }

    private enum Answer: Sendable, Equatable { case awaited, begun, whole }

    /// A Boolean value that indicates whether the connection serves another request after this one.
    private(set) var keepsAlive: Bool
    /// A Boolean value that indicates whether the exchange has ended.
    private(set) var isOver = false
    private var isRequestWhole: Bool
    private var answer = Answer.awaited

    /// - Parameter hasBody: A Boolean value that indicates whether a request body follows.
    init(keepsAlive: Bool, hasBody: Bool) {
        self.keepsAlive = keepsAlive
        isRequestWhole = !hasBody
    }

    /// A Boolean value that indicates whether the response head was sent.
    var hasBegun: Bool { answer != .awaited }

    /// Prevents the reuse of the connection.
    mutating func preventReuse() {
        keepsAlive = false
    }

    mutating func accept(_ event: Event) -> Step {
        if isOver { return .drop }
        switch (event, answer) {
        case (.close, _):
            isOver = true
            return .close
        case (.requestEnd, _):
            guard !isRequestWhole else { return .outOfOrder }
            isRequestWhole = true
            return .proceed
        case (.head, .awaited):
            answer = .begun
            // It is unknown whether the rest of the request will be read.
            if !isRequestWhole { keepsAlive = false }
            return .proceed
        case (.data, .begun): return .proceed
        case (.end, .begun):
            answer = .whole
            isOver = true
            return keepsAlive ? .next : .close
        case (.fail, .awaited), (.fail, .begun):
            isOver = true
            return .close
        case (.head, _), (.data, _), (.end, _), (.fail, _): return .outOfOrder
        }
    }
}

/// One request on a connection, from its head to its end.
///
/// Isolation: the connection's event loop.
final class Exchange {
    let request: ResourceRequest
    let version: HTTPVersion
    var life: ExchangeState
    var report: ExchangeReport
    /// The destination of the request body; `nil` without a body or after its end.
    var body: RequestBody.Source?
    /// A Boolean value that indicates whether the reader of the body needs more data.
    var wantsBody = true
    /// A Boolean value that indicates whether the engine waits for 100 (Continue) (RFC 9110, section 10.1.1).
    var awaitsContinue: Bool
    var work: Task<Void, Never>?
    /// The number of announced response bytes that have not been sent; `nil` if no length was announced.
    var remaining: Int64?
    /// A Boolean value that indicates whether the response has a body; valid after its head was sent.
    var hasBody = false
    /// A Boolean value that indicates whether the request method permits a response body.
    var allowsBody: Bool { request.head.method != .head }

    init(_ request: ResourceRequest, _ head: HTTPRequestHead, hasBody: Bool) {
        self.request = request
        version = head.version
        // The decoder decodes no further request after an upgrade to a WebSocket.
        life = ExchangeState(
            keepsAlive: head.isKeepAlive && !head.headers.contains(name: "upgrade"), hasBody: hasBody)
        report = ExchangeReport(request)
        awaitsContinue = hasBody && head.version == .http1_1 && head.headers.contains(name: "expect")
    }
}
