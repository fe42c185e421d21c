// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ResourceLoading
internal import Synchronization

/// Admits a limited number of requests to one host at a time; the others wait in line.
///
/// AsyncHTTPClient gives a request that waits for a free connection no longer than its connect timeout, so a page that
/// asks for sixty files over a slow line would lose most of them. Here they wait until a connection is really free, in
/// a line of limited length and for a limited time: an answer that never ends, such as server-sent events, keeps its
/// place as long as it likes.
final class HostQueue: Sendable {
    private struct Line {
        var admitted = 0
        var limit: Int
        var waiting: [(ticket: UInt64, continuation: CheckedContinuation<Void, any Error>)] = []
    }

    private struct State {
        var lines: [String: Line] = [:]
        var lastTicket: UInt64 = 0
    }

    private static let remembered = 256
    private let state = Mutex(State())
    private let limit: Int
    private let longestLine: Int
    private let longestWait: Duration
    private let clock: any Clock<Duration>

    /// - Parameters:
    ///   - limit: requests at a time to a host that speaks HTTP/1.1; at least one.
    ///   - longestLine: the most requests that wait for one host.
    ///   - longestWait: how long each of them may wait.
    init(
        limit: Int, longestLine: Int = 1_024, longestWait: Duration = .seconds(300),
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
            try await clock.sleep(for: longestWait)
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

    /// Notes that a host can carry many requests over one connection.
    func raiseLimit(of host: String, to limit: Int) {
        let admitted = state.withLock { state in
            guard let line = state.lines[host], line.limit < limit else {
                return [CheckedContinuation<Void, any Error>]()
            }
            state.lines[host]?.limit = limit
            return Self.admit(host, in: &state)
        }
        for continuation in admitted { continuation.resume() }
    }

    fileprivate func leave(_ host: String) {
        let admitted = state.withLock { state in
            state.lines[host]?.admitted -= 1
            let admitted = Self.admit(host, in: &state)
            // A raised limit is remembered, but not of every host ever seen: the next answer tells it again.
            if let line = state.lines[host], line.admitted == 0,
                line.limit == limit || state.lines.count > Self.remembered
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
        private let queue: HostQueue
        private let host: String
        private let isHeld = Mutex(true)

        fileprivate init(queue: HostQueue, host: String) {
            self.queue = queue
            self.host = host
        }

        /// Makes room for the next one. Once is enough, twice does no harm.
        func leave() {
            let wasHeld = isHeld.withLock { held in
                defer { held = false }
                return held
            }
            if wasHeld { queue.leave(host) }
        }

        deinit {
            leave()
        }
    }
}
