// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import ContainerTesting
internal import Foundation

/// A record of the bodies that reached a server, by cell of the body matrix.
final class BodyRecorder: Sendable {
    private struct State {
        var bodies: [String: [SentBody]] = [:]
        var watchers: [AsyncStream<Void>.Continuation] = []
    }

    private let state = Mutex(State())

    /// All bodies received so far.
    var bodies: [String: [SentBody]] { state.withLock { $0.bodies } }

    /// Records the body of a request to `/record/<cell>`.
    func record(_ request: OriginRequest) {
        record(request, as: Self.cell(of: request))
    }

    /// Records the body of a request in a cell.
    func record(_ request: OriginRequest, as cell: String) {
        let watchers = state.withLock { state in
            state.bodies[cell, default: []].append(SentBody(request))
            return state.watchers
        }
        for watcher in watchers { watcher.yield() }
    }

    /// Waits until the cell of `/arrived/<cell>` has a body. The time-out of the page limits the wait.
    func arrival(of request: OriginRequest) async {
        await arrival(at: Self.cell(of: request))
    }

    /// Waits until a cell has a body.
    func arrival(at cell: String) async {
        let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        state.withLock { $0.watchers.append(change) }
        while state.withLock({ $0.bodies[cell] == nil }) {
            guard await changes.first(where: { true }) != nil else { return }
        }
    }

    private static func cell(of request: OriginRequest) -> String {
        String(request.path.drop { $0 == "/" }.drop { $0 != "/" }.dropFirst())
    }
}
