// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport

/// The latest requests of an origin server, and the number of all requests.
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
            // Removes old requests in batches.
            if state.requests.count >= limit * 2 {
                state.requests.removeFirst(state.requests.count - limit)
            }
        }
    }

    var requests: [OriginRequest] { state.withLock { $0.requests.suffix(limit) } }
    var total: Int { state.withLock { $0.total } }
}
