// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation

#if canImport(FoundationNetworking)
    internal import FoundationNetworking
#endif

/// Where a protocol's client may be called: on the thread on which the session started the protocol; on Linux on the
/// session's queue, since what a client looks up there has no lock.
///
/// That queue is not to be had on Linux, but a running task that is resumed starts its protocol again, on it: that is the
/// turn in which the steps that wait are taken. Where the app has suspended the task, they wait until it resumes it.
///
/// Unchecked: `routed` is touched on that thread alone, which is the session's own and no actor's.
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

    /// To be called where the session starts the protocol.
    init(_ routed: RoutedProtocol) {
        self.routed = routed
        #if canImport(FoundationNetworking)
            task = routed.task
        #endif
    }

    /// Takes a step on the thread, and returns when it is done.
    /// - Throws: what the step throws; `CancellationError` after ``leave()``.
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

    /// Takes the steps that wait. To be called on the thread.
    func turn() {
        #if canImport(FoundationNetworking)
            while let step = queue.withLock({ $0.steps.isEmpty ? nil : $0.steps.removeFirst() }) { step() }
        #endif
    }

    /// Lets the protocol go, and ends the steps that wait: a session does not say when it is done with a protocol, and
    /// starts none again that is over. To be called on the thread.
    func leave() {
        routed?.forgetDelivery()
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
