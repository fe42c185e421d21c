// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1

/// The encoder and decoder of an HTTP/1 server connection.
struct HTTPHandlers {
    let encoder: HTTPResponseEncoder
    let decoder: ByteToMessageHandler<HTTPRequestDecoder>

    init() {
        var framing = HTTPResponseEncoder.Configuration()
        // Automatic framing would add a body to the response to CONNECT.
        framing.automaticallySetFramingHeaders = false
        encoder = HTTPResponseEncoder(configuration: framing)
        var size = NIOHTTPDecoderLimitConfiguration()
        // NIO limits a single field to 80 KiB.
        size.maxHeaderListSize = 256 << 10
        size.maxHeaderFieldCount = 256
        decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: size))
    }

    /// The handlers in the order of the pipeline.
    var all: [any ChannelHandler] { [encoder, decoder] }

    /// Removes the handlers. The unread bytes of the decoder are forwarded as raw bytes.
    func remove(from pipeline: ChannelPipeline.SynchronousOperations) {
        pipeline.removeHandler(encoder, promise: nil)
        // A removed decoder forwards its bytes, but not the end of the read.
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in
            pipeline.fireChannelReadComplete()
            TunnelEnd.flushForwardedBytes(in: pipeline)
        }
    }
}
