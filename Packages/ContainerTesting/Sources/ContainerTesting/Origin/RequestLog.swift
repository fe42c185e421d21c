// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The requests an origin saw: the latest of them, and how many in all.
///
/// Isolation: any.
final class RequestLog: Sendable {
    private struct State {
        var requests: [OriginRequest] = []
        var total = 0
    }

    private let limit: Int
    private let state = Mutex(State())

    init(limit: Int) {
        self.limit = max(1, limit)
    }

    func append(_ request: OriginRequest) {
        state.withLock { state in
            state.total += 1
            state.requests.append(request)
            // Cut in one go now and then, not by one each time.
            if state.requests.count >= limit * 2 {
                state.requests.removeFirst(state.requests.count - limit)
            }
        }
    }

    var requests: [OriginRequest] { state.withLock { $0.requests.suffix(limit) } }
    var total: Int { state.withLock { $0.total } }
}
