// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

@_spi(Facade) internal import ConnectTunnel
internal import NIOCore
internal import NIOHTTP1
internal import NIOSSL
internal import WebSyntax

/// A handler that checks before each request over TLS that the certificate of the connection matches the host of the
/// request (RFC 9110, section 4.3.4; RFC 9525).
///
/// NIOSSL also checks names, and this transport never disables that check. However, NIOSSL accepts a certificate for
/// the IP address of the connection for any name. It also accepts a common name if the certificate has no subject
/// alternative name.
///
/// Isolation: the event loop of its channel.
final class HostIdentityHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// The error of a connection whose certificate does not match the host.
    struct Mismatch: Error {
        let host: String
    }

    private let certificate: ConnectionCertificate
    private var refused: Mismatch?

    init(_ certificate: ConnectionCertificate) {
        self.certificate = certificate
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(let head) = unwrapOutboundIn(data) {
            let authority = head.headers.first(name: "host") ?? ""
            refused = certificate.isValid(for: authority) ? nil : Mismatch(host: authority)
            if let refused {
                // Fails the request after this write, because the client does not expect an error within its own call.
                let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
                context.eventLoop.execute {
                    bound.value.fireErrorCaught(refused)
                    bound.value.close(promise: nil)
                }
            }
        }
        if let refused {
            promise?.fail(refused)
        } else {
            context.write(data, promise: promise)
        }
    }
}

/// The certificate of a TLS connection, in the pipeline of the connection, with the result of its last check.
///
/// Isolation: the event loop of its channel.
final class ConnectionCertificate: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    /// The certificate in DER.
    private let certificate: [UInt8]
    private var checked: (authority: String, isValid: Bool)?

    private init(_ certificate: [UInt8]) {
        self.certificate = certificate
    }

    /// Adds the certificate to the pipeline of a connection whose TLS handshake has completed.
    /// - Returns: The added handler, or `nil` for a connection without TLS.
    /// - Throws: `NIOSSLError` if the peer has presented no certificate.
    static func add(to connection: any Channel) throws -> ConnectionCertificate? {
        let sync = connection.pipeline.syncOperations
        guard let tls = try? sync.handler(type: NIOSSLClientHandler.self) else { return nil }
        guard let certificate = tls.peerCertificate else { throw NIOSSLError.noCertificateToValidate }
        let added = ConnectionCertificate(try certificate.toDERBytes())
        try sync.addHandler(added, position: .after(tls))
        return added
    }

    /// Returns a Boolean value that indicates whether the certificate matches the host.
    /// - Parameter authority: The host, with or without a port, as in a `Host` field.
    func isValid(for authority: String) -> Bool {
        if let checked, checked.authority == authority { return checked.isValid }
        let host = HostPort(authority, defaultPort: 443)?.host
        let isValid = host.map { HostIdentity.isOf($0, certificate: certificate) } ?? false
        checked = (authority, isValid)
        return isValid
    }
}
