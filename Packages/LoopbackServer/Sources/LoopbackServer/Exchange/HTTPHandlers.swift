// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1

/// The encoder and decoder of an HTTP/1 server connection.
struct HTTPHandlers {
    let encoder: HTTPResponseEncoder
    private let reader = RequestHeadReader()
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let heads: RequestHeadHandler

    init() {
        var framing = HTTPResponseEncoder.Configuration()
        // Automatic framing would add a body to the response to CONNECT.
        framing.automaticallySetFramingHeaders = false
        encoder = HTTPResponseEncoder(configuration: framing)
        decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
        heads = RequestHeadHandler(reader)
    }

    /// The handlers in the order of the pipeline.
    var all: [any ChannelHandler] { [encoder, reader, decoder, heads] }

    /// Removes the handlers. The unread bytes of the decoder are forwarded as raw bytes.
    func remove(from pipeline: ChannelPipeline.SynchronousOperations) {
        pipeline.removeHandler(encoder, promise: nil)
        pipeline.removeHandler(reader, promise: nil)
        pipeline.removeHandler(heads, promise: nil)
        // A removed decoder forwards its bytes, but not the end of the read.
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in
            pipeline.fireChannelReadComplete()
            TunnelEnd.flushForwardedBytes(in: pipeline)
        }
    }
}
