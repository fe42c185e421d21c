// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One client connection through a relay: two channels and the data between them.
///
/// Isolation: the relay's event loop.
final class RelayConnection {
    /// The data in transit in one direction, and the state of its ends.
    private struct Stream {
        /// The bytes that wait or travel, in order.
        var buffers = CircularBuffer<ByteBuffer>()
        /// The number of bytes that were read from the sender and not yet accepted by the receiver's kernel.
        var held = 0
        /// A Boolean value that indicates whether the sender has ended its stream.
        var isEnded = false
        /// A Boolean value that indicates whether the end was passed to the receiver.
        var isFinished = false
        /// A Boolean value that indicates whether the receiver's channel is closed.
        var isReceiverClosed = false
    }

    let id: LinkScheduler.ConnectionID
    /// The earliest time for the first byte: one round trip after the connection was opened.
    let opensAt: Duration
    private let core: RelayCore
    private let client: any Channel
    private var target: (any Channel)?
    private let clientEnd = RelayEnd()
    private let targetEnd = RelayEnd()
    private var down = Stream()
    private var up = Stream()
    /// The data that the client sent before the target was connected.
    private var early: [LinkScheduler.Segment.Content] = []
    private var isOver = false
    /// The CONNECT exchange at the beginning of the connection; `nil` if there is none, or after its end.
    private var handshake: ConnectHandshake?

    init(
        id: LinkScheduler.ConnectionID, core: RelayCore, client: any Channel, opensAt: Duration,
        handshake: ConnectHandshake?
    ) {
        self.handshake = handshake
        self.id = id
        self.core = core
        self.client = client
        self.opensAt = opensAt
        // The client is read when the target is connected. If the client has already closed its output, NIO reads to
        // the end without a read request. `early` stores this data.
        clientEnd.isPaused = true
        clientEnd.attach(to: self, sending: .up)
        targetEnd.attach(to: self, sending: .down)
    }

    var channels: [any Channel] { [client, target].compactMap(\.self) }

    /// Returns the handler at the receiving end of a direction.
    func end(_ direction: RelayDirection) -> RelayEnd {
        direction == .down ? clientEnd : targetEnd
    }

    private func channel(_ direction: RelayDirection) -> (any Channel)? {
        direction == .down ? client : target
    }

    /// Calls a function with the stream of a direction.
    private func withStream<Result>(
        _ direction: RelayDirection, _ body: (inout Stream) -> Result
    ) -> Result {
        direction == .down ? body(&down) : body(&up)
    }

    // MARK: - Input

    func connected(_ channel: any Channel) {
        guard !isOver else {
            channel.closeSoon()
            return
        }
        do {
            try channel.pipeline.syncOperations.addHandler(targetEnd)
        } catch {
            channel.closeSoon()
            refuse()
            return
        }
        target = channel
        guard channel.isActive else {
            senderDidClose(.down, byError: true)
            return
        }
        for content in early { core.enqueue(content, .up, of: self) }
        early.removeAll()
        core.pumpSoon()
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
        clientEnd.resume()
    }

    /// Resets the client because the target cannot be connected.
    func refuse() {
        client.reset()
        isOver = true
        core.remove(self)
    }

    func received(_ buffer: ByteBuffer, _ direction: RelayDirection) {
        // The bytes before the target is connected are delayed with all that follow.
        if target == nil { handshake = nil }
        guard handshake != nil else { return delay(buffer, direction) }
        let parts = handshake?.receive(buffer, direction)
        if handshake?.isOver == true { handshake = nil }
        if let head = parts?.head, let channel = channel(direction) {
            core.soon { channel.writeAndFlush(head, promise: nil) }
        }
        if let rest = parts?.rest { delay(rest, direction) }
    }

    /// Sends the bytes of an incomplete CONNECT exchange like all others.
    private func endHandshake(_ direction: RelayDirection) {
        guard let rest = handshake?.end(direction) else { return }
        handshake = nil
        delay(rest, direction)
    }

    private func delay(_ buffer: ByteBuffer, _ direction: RelayDirection) {
        let count = buffer.readableBytes
        guard count > 0, !withStream(direction, \.isReceiverClosed) else { return }
        let held = withStream(direction) { stream in
            stream.buffers.append(buffer)
            stream.held += count
            return stream.held
        }
        send(.bytes(count), direction)
        core.recordHeld(held)
        if held > core.holdingLimit(direction) { end(direction.opposite).isPaused = true }
    }

    private func send(_ content: LinkScheduler.Segment.Content, _ direction: RelayDirection) {
        if direction == .up, target == nil {
            early.append(content)
        } else {
            core.enqueue(content, direction, of: self)
        }
    }

    func receivedAll() {
        core.pumpSoon()
    }

    /// Handles the end of the sender's stream in a direction.
    func ended(_ direction: RelayDirection) {
        endHandshake(direction)
        withStream(direction) { $0.isEnded = true }
        send(.end, direction)
        core.pumpSoon()
    }

    /// Handles the close of the channel that sends in `direction`.
    /// - Parameter isError: A Boolean value that indicates whether the connection was broken rather than closed
    ///   normally.
    func senderDidClose(_ direction: RelayDirection, byError isError: Bool) {
        guard !isOver else { return }
        endHandshake(direction)
        let toward = direction.opposite
        withStream(toward) { stream in
            stream.isReceiverClosed = true
            stream.buffers.removeAll()
            stream.held = 0
        }
        core.drop(toward, of: self)
        let isPeerGone = withStream(direction) { $0.isReceiverClosed }
        if isPeerGone || (direction == .up && target == nil) {
            isOver = true
            core.remove(self)
            return
        }
        let isEnded = withStream(direction) { $0.isEnded }
        let isFinished = withStream(toward) { $0.isFinished }
        if isError || !isFinished {
            core.enqueue(.reset, direction, of: self)
        } else if !isEnded {
            // If this side has already closed its output, the channel closes at the end of the stream without an event.
            withStream(direction) { $0.isEnded = true }
            core.enqueue(.end, direction, of: self)
        }
        core.pumpSoon()
    }

    // MARK: - Output

    /// Writes bytes that have arrived to the receiver.
    /// - Returns: The number of bytes written: all, or none if the receiver is closed.
    func write(_ count: Int, _ direction: RelayDirection) -> Int {
        guard let channel = channel(direction), !withStream(direction, \.isReceiverClosed) else { return 0 }
        var rest = count
        while rest > 0 {
            let piece = withStream(direction) { stream -> ByteBuffer? in
                guard var first = stream.buffers.popFirst() else { return nil }
                let piece = first.readSlice(length: min(rest, first.readableBytes))
                if first.readableBytes > 0 { stream.buffers.prepend(first) }
                return piece
            }
            guard let piece else { break }
            let size = piece.readableBytes
            rest -= size
            channel.write(piece).assumeIsolated().whenComplete { _ in self.written(size, direction) }
        }
        return count - rest
    }

    func flush(_ direction: RelayDirection) {
        channel(direction)?.flush()
    }

    private func written(_ count: Int, _ direction: RelayDirection) {
        let isUnderLimit = withStream(direction) { stream in
            stream.held = max(0, stream.held - count)
            return stream.held <= core.holdingLimit(direction) / 2
        }
        if isUnderLimit, target != nil { end(direction.opposite).resume() }
    }

    /// Handles the arrival of the end of a stream.
    func finish(_ direction: RelayDirection) {
        withStream(direction) { $0.isFinished = true }
        channel(direction)?.finishOutput()
    }

    /// Handles the arrival of a reset.
    func reset(_ direction: RelayDirection) {
        channel(direction)?.reset()
    }
}
