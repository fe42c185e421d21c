// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading

/// A queue that limits the number of concurrent requests to each host. Further requests wait.
///
/// AsyncHTTPClient fails a request that waits for a free connection longer than its connect timeout. A page that loads
/// sixty files over a slow connection would lose most of them. In this queue, requests wait until a connection is free.
/// The number of waiting requests is limited; their time is limited if the configuration sets a limit. A response that
/// never ends, such as server-sent events, occupies its connection.
package final class HostQueue: Sendable {
    private struct Line {
        var admitted = 0
        /// The number of admitted requests that have a connection, or an HTTP/2 stream.
        var running = 0
        var limit: Int
        /// A Boolean value that indicates whether the host multiplexes requests over one connection; `nil` before its
        /// first response.
        var isShared: Bool?
        /// A Boolean value that indicates whether the limit was lowered, because the host had less capacity. A lowered
        /// limit grows by one at a time.
        var wasLowered = false
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private struct State {
        var lines: [String: Line] = [:]
        var lastTicket: UInt64 = 0
    }

    private static let remembered = 256
    /// The limit of concurrent requests to an HTTP/2 host: a common server setting (RFC 9113, section 6.5.2).
    private static let sharedLimit = 100
    /// The interval at which a waiting request raises the lowered limit of its host by one.
    private static let trial = Duration.seconds(10)
    private let state = Mutex(State())
    private let limit: Int
    private let longestLine: Int
    private let longestWait: Duration?
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - limit: The limit of concurrent requests to an HTTP/1.1 host; at least one.
    ///   - longestLine: The limit of requests that wait for one host.
    ///   - longestWait: The longest wait of each request; `nil` for no limit.
    ///   - clock: The clock that measures waits.
    package init(
        limit: Int, longestLine: Int = 1_024, longestWait: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = max(limit, 1)
        self.longestLine = longestLine
        self.longestWait = longestWait
        self.clock = clock
    }

    /// Waits until a request to a host is admitted.
    /// - Returns: The pass of the request. It occupies capacity until ``Pass/release()`` is called or the pass is
    ///   deinitialized.
    /// - Throws: `CancellationError`, or `ResourceError` with code `timedOut`, or with code `cannotConnect` if too many
    ///   requests wait.
    package func enter(_ host: String) async throws -> Pass {
        try Task.checkCancellation()
        if !state.withLock({ Self.admitAtOnce(host, limit, in: &$0) }) { try await waitInLine(for: host) }
        return Pass(queue: self, host: host)
    }

    private static func admitAtOnce(_ host: String, _ limit: Int, in state: inout State) -> Bool {
        var line = state.lines[host] ?? Line(limit: limit)
        guard line.admitted < line.limit else { return false }
        line.admitted += 1
        state.lines[host] = line
        return true
    }

    private func waitInLine(for host: String) async throws {
        let ticket = state.withLock { state in
            state.lastTicket += 1
            return state.lastTicket
        }
        let timer = Task { [clock, longestWait] in
            var rest = longestWait
            while wasLowered(host), rest.map({ $0 > Self.trial }) ?? true {
                try await clock.sleep(for: Self.trial)
                rest = rest.map { $0 - Self.trial }
                tryOneMore(host)
            }
            guard let longestWait, let rest else { return }
            try await clock.sleep(for: rest)
            abandon(
                ticket, host, ResourceError(.timedOut, "no connection became free (limit \(longestWait))", at: host))
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // `onCancel` handles a cancellation after this check. A cancellation before it is detected here.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if Self.admitAtOnce(host, limit, in: &state) { return .success(()) }
                    guard let line = state.lines[host], line.waiting.count < longestLine else {
                        return .failure(
                            ResourceError(.cannotConnect, "more than \(longestLine) requests wait", at: host))
                    }
                    state.lines[host]?.waiting.append((ticket, continuation))
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            abandon(ticket, host, CancellationError())
        }
    }

    /// Records that a host multiplexes requests over one connection.
    ///
    /// The limit of the host is unknown. If ``recordFull(_:)`` has lowered the limit, each response raises it by one,
    /// up to a common value.
    func recordShared(_ host: String) {
        change(host) { line in
            line.isShared = true
            line.limit = line.wasLowered ? min(line.limit + 1, Self.sharedLimit) : max(line.limit, Self.sharedLimit)
        }
    }

    /// Records that a host accepts one request at a time on each connection, and restores the limit for HTTP/1.1.
    func recordSingle(_ host: String) {
        change(host) { line in
            line.isShared = false
            line.limit = limit
            line.wasLowered = false
        }
    }

    /// Records that an admitted request found no capacity at its host.
    ///
    /// If the host multiplexes and requests are running, the limit becomes the number of running requests. Otherwise
    /// the network is slow, and the limit does not change.
    /// - Returns: `true` if the request, which was not sent, may enter the queue again; `false` if the limit does not
    ///   change.
    package func recordFull(_ host: String) -> Bool {
        state.withLock { state in
            guard let line = state.lines[host], line.limit > limit || line.wasLowered, line.running > 0 else {
                return false
            }
            // Other requests may have lowered the limit already.
            state.lines[host]?.limit = min(line.limit, line.running)
            state.lines[host]?.wasLowered = true
            return true
        }
    }

    /// Raises the lowered limit of a host by one, because running requests may never end, or the network may have been
    /// slow.
    private func tryOneMore(_ host: String) {
        change(host) { line in
            if line.wasLowered { line.limit = min(line.limit + 1, Self.sharedLimit) }
        }
    }

    /// A Boolean value that indicates whether a host multiplexes requests over one connection; `nil` if unknown.
    package func isShared(_ host: String) -> Bool? {
        state.withLock { $0.lines[host]?.isShared }
    }

    private func wasLowered(_ host: String) -> Bool {
        state.withLock { $0.lines[host]?.wasLowered == true }
    }

    private func change(_ host: String, _ change: (inout Line) -> Void) {
        let admitted = state.withLock { state in
            guard state.lines[host] != nil else { return [CheckedContinuation<Void, any Error>]() }
            change(&state.lines[host, default: Line(limit: limit)])
            return Self.admit(host, in: &state)
        }
        for continuation in admitted { continuation.resume() }
    }

    fileprivate func begin(_ host: String) {
        state.withLock { $0.lines[host]?.running += 1 }
    }

    fileprivate func release(_ host: String, wasRunning: Bool) {
        let admitted = state.withLock { state in
            state.lines[host]?.admitted -= 1
            if wasRunning { state.lines[host]?.running -= 1 }
            let admitted = Self.admit(host, in: &state)
            // The queue stores the protocol of a limited number of hosts. The next response of a removed host provides
            // it again.
            if let line = state.lines[host], line.admitted == 0,
                line.isShared == nil || state.lines.count > Self.remembered
            {
                state.lines[host] = nil
            }
            return admitted
        }
        for continuation in admitted { continuation.resume() }
    }

    private func abandon(_ ticket: UInt64, _ host: String, _ error: any Error) {
        let continuation: CheckedContinuation<Void, any Error>? = state.withLock { state in
            guard let index = state.lines[host]?.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.lines[host]?.waiting.remove(at: index).continuation
        }
        continuation?.resume(throwing: error)
    }

    private static func admit(_ host: String, in state: inout State) -> [CheckedContinuation<Void, any Error>] {
        guard var line = state.lines[host] else { return [] }
        var admitted: [CheckedContinuation<Void, any Error>] = []
        while line.admitted < line.limit, !line.waiting.isEmpty {
            line.admitted += 1
            admitted.append(line.waiting.removeFirst().continuation)
        }
        state.lines[host] = line
        return admitted
    }

    /// The admission of a request to its host.
    package final class Pass: Sendable {
        private enum Stage {
            case admitted
            case running
            case released
        }

        private let queue: HostQueue
        private let host: String
        private let stage = Mutex(Stage.admitted)

        fileprivate init(queue: HostQueue, host: String) {
            self.queue = queue
            self.host = host
        }

        /// Records that the request has a connection. Further calls do nothing.
        package func begin() {
            let isFirst = stage.withLock { stage in
                guard stage == .admitted else { return false }
                stage = .running
                return true
            }
            if isFirst { queue.begin(host) }
        }

        /// A Boolean value that indicates whether the host multiplexes requests over one connection; `nil` if
        /// unknown.
        package var isShared: Bool? { queue.isShared(host) }

        /// Records that the host multiplexes requests over one connection.
        package func recordShared() {
            queue.recordShared(host)
        }

        /// Records that the host accepts one request at a time on each connection.
        package func recordSingle() {
            queue.recordSingle(host)
        }

        /// Ends the admission, so that the next request can be admitted. Further calls do nothing.
        package func release() {
            let before = stage.withLock { stage in
                defer { stage = .released }
                return stage
            }
            if before != .released { queue.release(host, wasRunning: before == .running) }
        }

        deinit {
            release()
        }
    }
}
