// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import NIOCore

/// A limited set of connections whose peer is not identified yet. Any process on the device can open connections, so
/// the oldest connection is closed if the limit is exceeded. The app's own connections identify themselves immediately.
///
/// Isolation: any.
@_spi(Facade) public final class UnidentifiedPeers: Sendable {
    private struct State {
        var lastNumber: UInt64 = 0
        var channels: [(number: UInt64, channel: any Channel)] = []
    }

    private let limit: Int
    private let onEviction: (@Sendable () -> Void)?
    private let state = Mutex(State())

    /// Creates an empty set.
    /// - Parameters:
    ///   - limit: The maximum number of connections.
    ///   - onEviction: A closure that is called for each connection that is closed because of the limit.
    public init(limit: Int, onEviction: (@Sendable () -> Void)? = nil) {
        self.limit = limit
        self.onEviction = onEviction
    }

    /// Adds a connection, and closes the oldest connection if the limit is reached.
    /// - Returns: The number of the connection for ``remove(_:)``.
    public func insert(_ channel: any Channel) -> UInt64 {
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

    /// Removes a connection that is identified or closed. Further calls for the same number have no effect.
    public func remove(_ number: UInt64) {
        state.withLock { $0.channels.removeAll { $0.number == number } }
    }
}
