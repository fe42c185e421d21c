// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ResourceLoading

/// Admits a limited number of requests to one host at a time; the others wait in line.
///
/// AsyncHTTPClient gives a request that waits for a free connection no longer than its connect timeout, so a page that
/// asks for sixty files over a slow line would lose most of them. Here they wait until a connection is really free, in
/// a line of limited length and for a limited time: an answer that never ends, such as server-sent events, keeps its
/// place as long as it likes.
final class HostQueue: Sendable {
    private struct Line {
        var admitted = 0
        /// Of those, how many have a connection, or their stream of one.
        var running = 0
        var limit: Int
        /// Whether the host carries many requests over one connection; `nil` before its first response.
        var isShared: Bool?
        /// Whether there was less room than the limit says: from then on it grows by one at a time.
        var wasLowered = false
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private struct State {
        var lines: [String: Line] = [:]
        var lastTicket: UInt64 = 0
    }

    private static let remembered = 256
    /// Requests at a time to a host that speaks HTTP/2: what servers commonly allow (RFC 9113, section 6.5.2).
    private static let sharedLimit = 100
    /// How often one that waits at a host of a lowered limit has one more tried.
    private static let trial = Duration.seconds(10)
    private let state = Mutex(State())
    private let limit: Int
    private let longestLine: Int
    private let longestWait: Duration?
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - limit: requests at a time to a host that speaks HTTP/1.1; at least one.
    ///   - longestLine: the most requests that wait for one host.
    ///   - longestWait: the longest wait of each of them; `nil` for no limit.
    init(
        limit: Int, longestLine: Int = 1_024, longestWait: Duration? = nil,
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.limit = max(limit, 1)
        self.longestLine = longestLine
        self.longestWait = longestWait
        self.clock = clock
    }

    /// Waits until a request may go to a host.
    /// - Returns: what keeps the place until it is left, or goes.
    /// - Throws: `CancellationError`, or `ResourceError` with code `timedOut`, or `cannotConnect` where the line is full.
    func enter(_ host: String) async throws -> Pass {
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
                ticket, host, ResourceError(.timedOut, "no free connection (limit \(longestWait))", at: host))
        }
        defer { timer.cancel() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    // A cancellation from here on finds the ticket in line; an earlier one is seen here.
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

    /// Notes that a host carries many requests over one connection. How many it does not say: where it was fewer than are
    /// common, by ``recordFull(_:)``, each further answer allows one more.
    func recordShared(_ host: String) {
        change(host) { line in
            line.isShared = true
            line.limit = line.wasLowered ? min(line.limit + 1, Self.sharedLimit) : max(line.limit, Self.sharedLimit)
        }
    }

    /// Notes that a host takes one request on each connection, whatever it did before.
    func recordSingle(_ host: String) {
        change(host) { line in
            line.isShared = false
            line.limit = limit
            line.wasLowered = false
        }
    }

    /// Notes that a request that was admitted found no room at its host. Where it carries many over one connection, only as
    /// many as have found it go there from now on; else it is the network that stalls.
    /// - Returns: whether the request, which was not sent, may wait in line again; not where no other is under way, whose end
    ///   would make room.
    func recordFull(_ host: String) -> Bool {
        state.withLock { state in
            guard let line = state.lines[host], line.limit > limit || line.wasLowered, line.running > 0 else {
                return false
            }
            // Others may have found the same before.
            state.lines[host]?.limit = min(line.limit, line.running)
            state.lines[host]?.wasLowered = true
            return true
        }
    }

    /// Lets one more go to a host that took fewer than we thought: those under way may never end, and the network may
    /// have stalled.
    private func tryOneMore(_ host: String) {
        change(host) { line in
            if line.wasLowered { line.limit = min(line.limit + 1, Self.sharedLimit) }
        }
    }

    fileprivate func isShared(_ host: String) -> Bool? {
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

    fileprivate func leave(_ host: String, wasRunning: Bool) {
        let admitted = state.withLock { state in
            state.lines[host]?.admitted -= 1
            if wasRunning { state.lines[host]?.running -= 1 }
            let admitted = Self.admit(host, in: &state)
            // The protocol is remembered, but not of every host ever seen: the next response says it again.
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

    /// A request's place at its host.
    final class Pass: Sendable {
        private enum Stage {
            case admitted
            case running
            case left
        }

        private let queue: HostQueue
        private let host: String
        private let stage = Mutex(Stage.admitted)

        fileprivate init(queue: HostQueue, host: String) {
            self.queue = queue
            self.host = host
        }

        /// Says that the request has found its connection. Once is enough, twice does no harm.
        func begin() {
            let isFirst = stage.withLock { stage in
                guard stage == .admitted else { return false }
                stage = .running
                return true
            }
            if isFirst { queue.begin(host) }
        }

        /// Whether the host carries many requests over one connection; `nil` if that is not known.
        var isShared: Bool? { queue.isShared(host) }

        /// As ``HostQueue/recordShared(_:)``.
        func recordShared() {
            queue.recordShared(host)
        }

        /// As ``HostQueue/recordSingle(_:)``.
        func recordSingle() {
            queue.recordSingle(host)
        }

        /// Makes room for the next one. Once is enough, twice does no harm.
        func leave() {
            let before = stage.withLock { stage in
                defer { stage = .left }
                return stage
            }
            if before != .left { queue.leave(host, wasRunning: before == .running) }
        }

        deinit {
            leave()
        }
    }
}
