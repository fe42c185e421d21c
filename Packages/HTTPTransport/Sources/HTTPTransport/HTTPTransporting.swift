// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
public import WebSyntax

/// A transport that sends one request over the network and returns its response unchanged.
///
/// A transport does not follow redirects, store cookies or cache; loaders above it do. Connecting always has a time
/// limit. By default a host may be silent for any time. The caller can cancel the request or set its own limit, and the
/// host app can configure a limit for all requests. Connection-specific fields (RFC 9110, section 7.6.1), including
/// those that `Connection` names, are neither sent nor returned.
///
/// Isolation: methods may be called from any isolation and concurrently.
public protocol HTTPTransporting: Sendable {
    /// The optional capabilities of this transport.
    var capabilities: TransportCapabilities { get }
    /// The certificate authorities that the transport trusts in addition to those of the system; none by default.
    ///
    /// A container trusts them for the WebSocket connections of pages too. A transport that wraps another one returns
    /// the authorities of that one.
    var authorities: [CertificateAuthority] { get }

    /// The form of this transport for background transfers and prefetches. It fails with code `offline` in Low Data
    /// Mode, and on expensive networks unless `BackgroundTransfer.allowsExpensiveNetworks` is `true`. It shares the
    /// connections of this transport.
    ///
    /// A transport that wraps another one wraps the form of that one. The default is the transport itself.
    var forBackgroundTransfers: any HTTPTransporting { get }

    /// Uses the proxies of the system for all later requests, unless the transport has a proxy of its own or applies
    /// the system's settings by itself. A container calls it when it starts.
    ///
    /// A transport that wraps another one forwards the call. The default does nothing.
    func useSystemProxies(_ proxies: SystemProxies)

    /// Uses a resolver of host names for the connections of all later requests to the hosts that it is used for, unless
    /// the transport has a resolver or a proxy of its own. Hosts behind a proxy of the system are not looked up. A
    /// container calls it when it starts; if two containers share a transport, the last call applies.
    ///
    /// A transport that wraps another one forwards the call. The default does nothing; see
    /// ``TransportCapabilities/ownAddresses``.
    func useAddresses(_ addresses: any AddressResolving)

    /// Sends a request with an absolute `http` or `https` URL.
    ///
    /// Cancelling the calling task, or releasing the body's iterator, closes the stream.
    /// - Throws: `ResourceError` or `CancellationError`.
    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse

    /// Sends a request as `send(_:body:)` does, and reports the progress of its body.
    /// - Parameters:
    ///   - request: A request with an absolute `http` or `https` URL.
    ///   - body: The body of the request.
    ///   - progress: A closure that is called each time bytes were sent, in order and from any isolation. It is not
    ///     called after the end of the response body.
    func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse
}

extension HTTPTransporting {
    /// No authorities.
    public var authorities: [CertificateAuthority] { [] }

    /// The transport itself.
    public var forBackgroundTransfers: any HTTPTransporting { self }

    /// Does nothing.
    public func useSystemProxies(_ proxies: SystemProxies) {}

    /// Does nothing.
    public func useAddresses(_ addresses: any AddressResolving) {}
}

/// The capabilities of a transport beyond the mandatory requirements. A test checks the presence and absence of each
/// capability.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    /// Creates a set from its raw value.
    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Content codings are always removed from bodies, and the head is adjusted. Without this capability bodies keep
    /// their codings and `Content-Encoding`.
    public static let decodes = TransportCapabilities(rawValue: 1 << 0)
    /// A reader that stops reading stops the sender.
    public static let backPressure = TransportCapabilities(rawValue: 1 << 1)
    /// All requests can be sent through one proxy, or through those of the system.
    public static let proxy = TransportCapabilities(rawValue: 1 << 2)
    /// Several `Set-Cookie` fields stay separate.
    public static let separateCookies = TransportCapabilities(rawValue: 1 << 3)
    /// HTTP/2 is used over TLS if the host offers it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 4)
    /// A refused connection fails immediately.
    public static let refusesAtOnce = TransportCapabilities(rawValue: 1 << 5)
    /// The host app can provide the addresses of a host name.
    public static let ownAddresses = TransportCapabilities(rawValue: 1 << 6)
    /// Upload bytes are sent while later bytes are produced. Without this capability a stream is written to a file
    /// first.
    public static let streamingUploads = TransportCapabilities(rawValue: 1 << 7)
    /// The host app can add certificate authorities.
    public static let ownAuthorities = TransportCapabilities(rawValue: 1 << 8)
    /// Connecting has a time limit of its own. Without this capability, one limit applies to connecting and waiting for
    /// the head together.
    public static let connectTimeout = TransportCapabilities(rawValue: 1 << 9)
    /// A request that the host has not processed is sent again with its body, because it was never sent or the host
    /// refused its HTTP/2 stream. A request that the host may have processed is sent again only if its method is
    /// idempotent.
    public static let repeatsUnprocessed = TransportCapabilities(rawValue: 1 << 10)
    /// Connections use TCP keep-alive, so that a request without a limit does not wait for a lost peer.
    public static let keepAlive = TransportCapabilities(rawValue: 1 << 11)
    /// Requests never pass a `URLSession` of the app, which a container may intercept. Without this capability, a
    /// container recognises a request of the transport that comes back by its method and URL. While it waits for the
    /// response head, an equal request of the app is then not intercepted either.
    public static let bypassesSessions = TransportCapabilities(rawValue: 1 << 12)
}

/// The response to one request.
public struct TransportResponse: Sendable {
    /// The response head. It matches the bytes of the body, whether the transport decodes them or not.
    public var head: HTTPResponse
    /// The response body. It can be read once; releasing it closes the stream.
    public var body: ResourceBody

    /// Creates a response.
    public init(head: HTTPResponse, body: ResourceBody) {
        self.head = head
        self.body = body
    }
}
