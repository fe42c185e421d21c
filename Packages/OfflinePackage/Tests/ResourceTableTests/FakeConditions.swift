// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

import AsyncSupport
import ResourceLoading

/// Conditions that a test can change.
final class FakeConditions: HostConditioning {
    private let state: Mutex<(now: HostConditions, streams: [AsyncStream<HostConditions>.Continuation])>

    init(_ conditions: HostConditions = .favourable) {
        state = Mutex((conditions, []))
    }

    var conditions: HostConditions { state.withLock { $0.now } }

    func changes() -> AsyncStream<HostConditions> {
        let (stream, continuation) = AsyncStream.makeStream(of: HostConditions.self)
        state.withLock { $0.streams.append(continuation) }
        return stream
    }

    func set(_ conditions: HostConditions) {
        let streams = state.withLock { state in
            state.now = conditions
            return state.streams
        }
        for stream in streams { stream.yield(conditions) }
    }
}
