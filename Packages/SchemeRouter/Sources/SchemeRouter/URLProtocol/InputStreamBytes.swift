// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
internal import Foundation
internal import ResourceLoading

/// The bytes of an `InputStream`.
///
/// Reading blocks until the app has written more upload data, so it does not run on the cooperative thread pool. A
/// cancelled caller does not wait for the read.
///
/// Unchecked: the stream, which must not be used on several threads at once, is used only on the serial `queue`.
struct InputStreamBytes: @unchecked Sendable {
    private static let pieceSize = 64 << 10
    private let stream: InputStream
    private let queue = SerialQueue("containerkit.request-body", priority: .inherited)
    private let receive: @Sendable () -> Void

    /// Creates a source of bytes.
    /// - Parameter receive: A closure that is called for each piece.
    init(_ stream: InputStream, receive: @escaping @Sendable () -> Void) {
        self.stream = stream
        self.receive = receive
    }

    func next() async throws -> Data? {
        try await Waiter().value(of: self)
    }

    fileprivate func read() throws -> Data? {
        if stream.streamStatus == .notOpen { stream.open() }
        guard stream.streamStatus != .closed else { return nil }
        var piece = Data(count: Self.pieceSize)
        let count = piece.withUnsafeMutableBytes { buffer in
            buffer.bindMemory(to: UInt8.self).baseAddress.map { stream.read($0, maxLength: buffer.count) } ?? 0
        }
        if count > 0 {
            receive()
            return piece.prefix(count)
        }
        defer { stream.close() }
        if count < 0 { throw ResourceError(.io, "the request body cannot be read", cause: cause) }
        return nil
    }

    /// The error of the stream; `nil` on Linux, where reading the error of a memory stream crashes.
    private var cause: (any Error)? {
        #if canImport(FoundationNetworking)
            nil
        #else
            stream.streamError
        #endif
    }

    /// A continuation that waits for one piece or for a cancellation.
    private final class Waiter: Sendable {
        private let waiting = Mutex<CheckedContinuation<Data?, any Error>?>(nil)

        func value(of bytes: InputStreamBytes) async throws -> Data? {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { done in
                    waiting.withLock { $0 = done }
                    // Checked after the continuation is stored, so that an earlier or later cancellation is noticed.
                    if Task.isCancelled { return resume(.failure(CancellationError())) }
                    bytes.queue.enqueue { self.resume(Result { try bytes.read() }) }
                }
            } onCancel: {
                resume(.failure(CancellationError()))
            }
        }

        private func resume(_ result: Result<Data?, any Error>) {
            let done = waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }
            done?.resume(with: result)
        }
    }
}

/// A sequence of pieces that were read already, followed by the rest of their source.
struct StartedBytes: AsyncSequence, Sendable {
    typealias Element = Data
    typealias Failure = any Error

    private let start: [Data]
    private let rest: InputStreamBytes

    init(_ start: [Data], then rest: InputStreamBytes) {
        self.start = start
        self.rest = rest
    }

    func makeAsyncIterator() -> Iterator { Iterator(start: start[...], rest: rest) }

    struct Iterator: AsyncIteratorProtocol {
        fileprivate var start: ArraySlice<Data>
        fileprivate let rest: InputStreamBytes

        mutating func next() async throws -> Data? {
            if let piece = start.popFirst() { return piece }
            return try await rest.next()
        }
    }
}
