// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import NIOCore

/// Counts the connections that have not said who they are, and limits them. Any program of the device can make some, so
/// that for one more the oldest has to go: ours speaks at once.
///
/// Isolation: any.
public final class UnidentifiedPeers: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var channels: [(number: UInt64, channel: any Channel)] = []
    }

    private let limit: Int
    private let onEviction: (@Sendable () -> Void)?
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: the most that may be there.
    ///   - onEviction: called for each that has to go.
    public init(limit: Int, onEviction: (@Sendable () -> Void)? = nil) {
        self.limit = limit
        self.onEviction = onEviction
    }

    /// Takes one more in.
    /// - Returns: its number, for ``leave(_:)``.
    public func enter(_ channel: any Channel) -> UInt64 {
        let (number, oldest) = state.withLock { state in
            state.lastNumber += 1
            let oldest = state.channels.count < limit ? nil : state.channels.removeFirst().channel
            state.channels.append((state.lastNumber, channel))
            return (state.lastNumber, oldest)
        }
        if let oldest {
            onEviction?()
            oldest.close(promise: nil)
        }
        return number
    }

    /// One is known now, or gone. Once is enough, twice does no harm.
    public func leave(_ number: UInt64) {
        state.withLock { $0.channels.removeAll { $0.number == number } }
    }
}
