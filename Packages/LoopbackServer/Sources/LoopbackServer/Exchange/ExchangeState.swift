// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import NIOHTTP1
internal import ResourceLoading

/// The life of one request and its answer on a connection: a value, tested by interleaving.
///
/// The request arrives, as head and end with body between; the answer leaves, as head, data and end. An answer may
/// begin, and even end, before its request has. The engine may close the connection at any time; nothing leaves after
/// that.
struct ExchangeState: Sendable, Equatable {
    /// What happens.
    enum Event: Sendable, CaseIterable {
        /// The last byte of the request is there.
        case requestEnd
        /// The answer's head is to leave.
        case head
        /// A piece of the answer's body is to leave.
        case data
        /// The answer is whole.
        case end
        /// There is no answer, or no more of it.
        case fail
        /// The connection is gone.
        case close
    }

    /// What is to be done about it.
    enum Step: Sendable, Equatable {
        /// What was asked.
        case proceed
        /// Nothing: it comes too late.
        case drop
        /// Nothing: it comes out of order, which is a fault of ours.
        case outOfOrder
        /// What was asked, and the connection is free for the next request.
        case next
        /// What was asked, and the connection is to be closed.
        case close
    }

    private enum Answer: Sendable, Equatable { case awaited, begun, whole }

    /// Whether the connection serves another request after this one.
    private(set) var keepsAlive: Bool
    /// Whether nothing happens any more.
    private(set) var isOver = false
    private var isRequestWhole: Bool
    private var answer = Answer.awaited

    /// - Parameter hasBody: whether there is more of the request to come.
    init(keepsAlive: Bool, hasBody: Bool) {
        self.keepsAlive = keepsAlive
        isRequestWhole = !hasBody
    }

    /// Whether the answer's head has left.
    var hasBegun: Bool { answer != .awaited }

    /// The connection is not to be used again.
    mutating func giveUpConnection() {
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
            // Whether the rest of the request will be read nobody knows by now.
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
    /// Where the request's body goes; `nil` where there is none, and once it is whole.
    var body: RequestBody.Source?
    /// The body's reader wants more than there is.
    var wantsBody = true
    /// The engine waits for permission to send the body (RFC 9110, section 10.1.1).
    var awaitsContinue: Bool
    var work: Task<Void, Never>?
    /// The bytes that the answer's head announced and that have not left yet; `nil` where it announced none.
    var left: Int64?
    /// Whether the answer has a body; known once its head has left.
    var hasBody = false
    /// Whether an answer to this may have a body, by the request's method.
    var allowsBody: Bool { request.head.method != .head }

    init(_ request: ResourceRequest, _ head: HTTPRequestHead, hasBody: Bool) {
        self.request = request
        version = head.version
        // After an upgrade that was asked for the decoder reads nothing more.
        life = ExchangeState(
            keepsAlive: head.isKeepAlive && !head.headers.contains(name: "upgrade"), hasBody: hasBody)
        report = ExchangeReport(request)
        awaitsContinue = hasBody && head.version == .http1_1 && head.headers.contains(name: "expect")
    }
}
