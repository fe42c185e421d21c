// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1

/// What reads and writes HTTP/1 on a connection.
struct HTTPHandlers {
    let encoder: HTTPResponseEncoder
    let decoder: ByteToMessageHandler<HTTPRequestDecoder>

    init(_ limits: LoopbackLimits) {
        var framing = HTTPResponseEncoder.Configuration()
        // It would give a CONNECT's answer a body.
        framing.automaticallySetFramingHeaders = false
        encoder = HTTPResponseEncoder(configuration: framing)
        var size = NIOHTTPDecoderLimitConfiguration()
        size.maxHeaderListSize = limits.headBytes
        size.maxHeaderFieldCount = limits.headFields
        size.maxHeaderFieldSize = min(size.maxHeaderFieldSize, limits.headBytes)
        decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: size))
    }

    /// In the order of the pipeline.
    var all: [any ChannelHandler] { [encoder, decoder] }

    /// Takes them out, so that what the decoder still has goes on as bytes.
    func remove(from pipeline: ChannelPipeline.SynchronousOperations) {
        pipeline.removeHandler(encoder, promise: nil)
        // It passes on what it has when it goes, but not that this was all for now.
        pipeline.removeHandler(decoder).assumeIsolated().whenComplete { _ in
            pipeline.fireChannelReadComplete()
            TunnelEnd.flushForwardedBytes(in: pipeline)
        }
    }
}
