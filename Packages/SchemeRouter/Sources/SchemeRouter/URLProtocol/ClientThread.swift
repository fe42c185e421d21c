// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// The thread on which the client of a protocol may be called.
///
/// It is the thread on which the session started the protocol. On Linux it is the queue of the session, because the
/// client uses state of the session without a lock. The queue is not accessible there, but resuming a running task
/// starts its protocol again on the queue, and ``turn()`` then runs the waiting steps. If the app has suspended the
/// task, the steps wait until the app resumes it.
///
/// Unchecked: `routed` is used only on that thread, which belongs to the session and not to an actor.
final class ClientThread: @unchecked Sendable {
    private var routed: RoutedProtocol?
    #if canImport(FoundationNetworking)
        private struct Queue {
            var steps: [@Sendable () -> Void] = []
            var isOver = false
        }

        private let queue = Mutex(Queue())
        private let task: URLSessionTask?
    #else
        private let loop = CFRunLoopGetCurrent()
        private let modes = [CFRunLoopCopyCurrentMode(CFRunLoopGetCurrent()), .commonModes].compactMap(\.?.rawValue)
    #endif

    /// Creates the value; must be called on the thread on which the session starts the protocol.
    init(_ routed: RoutedProtocol) {
        self.routed = routed
        #if canImport(FoundationNetworking)
            task = routed.task
        #endif
    }

    /// Runs a step on the thread and returns when it has finished.
    /// - Throws: The error of the step; `CancellationError` after ``release()``.
    func perform(_ step: @escaping @Sendable (RoutedProtocol) throws -> Void) async throws {
        try await withCheckedThrowingContinuation { (done: CheckedContinuation<Void, any Error>) in
            let turn = { @Sendable in done.resume(with: Result { try self.run(step) }) }
            #if canImport(FoundationNetworking)
                let isQueued = queue.withLock { queue in
                    if !queue.isOver { queue.steps.append(turn) }
                    return !queue.isOver
                }
                guard isQueued else { return done.resume(throwing: CancellationError()) }
                if let task, task.state != .suspended { task.resume() }
            #else
                CFRunLoopPerformBlock(loop, modes as CFArray, turn)
                CFRunLoopWakeUp(loop)
            #endif
        }
    }

    /// Runs the waiting steps; must be called on the thread.
    func turn() {
        #if canImport(FoundationNetworking)
            while let step = queue.withLock({ $0.steps.isEmpty ? nil : $0.steps.removeFirst() }) { step() }
        #endif
    }

    /// Releases the protocol and ends the waiting steps; must be called on the thread. A session does not report that
    /// it no longer needs a protocol, and does not restart a finished protocol.
    func release() {
        routed?.releaseDelivery()
        routed = nil
        #if canImport(FoundationNetworking)
            queue.withLock { $0.isOver = true }
            turn()
        #endif
    }

    private func run(_ step: (RoutedProtocol) throws -> Void) throws {
        guard let routed else { throw CancellationError() }
        try step(routed)
    }
}
