// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import NIOCore

/// One client's connection through a relay: two channels and what is between them.
///
/// Isolation: the relay's event loop.
final class RelayConnection {
    /// What is on its way in one direction, and how far its two ends have come.
    private struct Stream {
        /// Bytes that wait or travel, in order.
        var buffers = CircularBuffer<ByteBuffer>()
        /// Bytes read from the sender and not yet taken by the receiver's kernel.
        var held = 0
        /// The sender said that it will send no more.
        var isEnded = false
        /// The receiver was told so.
        var isFinished = false
        /// The receiver's channel is closed.
        var isReceiverGone = false
    }

    let id: LinkScheduler.ConnectionID
    /// When the first byte may leave: one round trip after the connection was made.
    let opensAt: Duration
    private let core: RelayCore
    private let client: any Channel
    private var target: (any Channel)?
    private let clientEnd = RelayEnd()
    private let targetEnd = RelayEnd()
    private var down = Stream()
    private var up = Stream()
    /// What came from the client before there was a target to send it to.
    private var early: [LinkScheduler.Segment.Content] = []
    private var isOver = false

    init(id: LinkScheduler.ConnectionID, core: RelayCore, client: any Channel, opensAt: Duration) {
        self.id = id
        self.core = core
        self.client = client
        self.opensAt = opensAt
        // A client is read from once there is someone to send to. Not quite: when it has sent its end already,
        // NIO reads on to the end whatever was asked for, and so `early` is needed.
        clientEnd.isPaused = true
        clientEnd.attach(to: self, sending: .up)
        targetEnd.attach(to: self, sending: .down)
    }

    var channels: [any Channel] { [client, target].compactMap(\.self) }

    /// The handler at the receiving end of a direction.
    func end(_ direction: RelayDirection) -> RelayEnd {
        direction == .down ? clientEnd : targetEnd
    }

    private func channel(_ direction: RelayDirection) -> (any Channel)? {
        direction == .down ? client : target
    }

    /// Works on the state of a direction.
    private func withStream<Result>(
        _ direction: RelayDirection, _ body: (inout Stream) -> Result
    ) -> Result {
        direction == .down ? body(&down) : body(&up)
    }

    // MARK: - The way in

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
            gone(.down, byError: true)
            return
        }
        for content in early { core.enqueue(content, .up, of: self) }
        early.removeAll()
        core.pumpSoon()
        channel.setOption(.autoRead, value: true).whenComplete { _ in }
        clientEnd.resume()
    }

    /// The target does not answer.
    func refuse() {
        client.reset()
        isOver = true
        core.remove(self)
    }

    func received(_ buffer: ByteBuffer, _ direction: RelayDirection) {
        let count = buffer.readableBytes
        guard count > 0, !withStream(direction, \.isReceiverGone) else { return }
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

    /// The sender of a direction has ended its stream.
    func ended(_ direction: RelayDirection) {
        withStream(direction) { $0.isEnded = true }
        send(.end, direction)
        core.pumpSoon()
    }

    /// The channel that sends in `direction` is closed.
    /// - Parameter isError: it was broken off, and not closed in order.
    func gone(_ direction: RelayDirection, byError isError: Bool) {
        guard !isOver else { return }
        let toward = direction.opposite
        withStream(toward) { stream in
            stream.isReceiverGone = true
            stream.buffers.removeAll()
            stream.held = 0
        }
        core.drop(toward, of: self)
        let isPeerGone = withStream(direction) { $0.isReceiverGone }
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
            // Where our own side has ended before, a channel closes at the end of the stream without saying so.
            withStream(direction) { $0.isEnded = true }
            core.enqueue(.end, direction, of: self)
        }
        core.pumpSoon()
    }

    // MARK: - The way out

    /// Hands bytes that have arrived to the receiver.
    /// - Returns: how many were handed over: all, or none when the receiver is gone.
    func write(_ count: Int, _ direction: RelayDirection) -> Int {
        guard let channel = channel(direction), !withStream(direction, \.isReceiverGone) else { return 0 }
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

    /// The stream's end has arrived.
    func finish(_ direction: RelayDirection) {
        withStream(direction) { $0.isFinished = true }
        channel(direction)?.finishOutput()
    }

    /// The other side broke off.
    func reset(_ direction: RelayDirection) {
        channel(direction)?.reset()
    }
}
