// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// Sends one request over the network and returns what came back, one hop, unchanged.
///
/// A transport does not follow redirects, keep cookies or cache: loaders above it do. By default a host may be silent for
/// as long as it likes: whoever asks cancels, or has a limit of its own, and a host app may configure one for all. The
/// wait for a connection has a limit always.
/// Fields that speak of one connection (RFC 9110, section 7.6.1), those that `Connection` names among them, go neither
/// out nor up.
/// Isolation: may be called from any isolation and concurrently.
public protocol HTTPTransporting: Sendable {
    /// What this transport does beyond the mandatory.
    var capabilities: TransportCapabilities { get }

    /// Sends a request with an absolute `http` or `https` URL.
    ///
    /// Cancelling the calling task, or dropping the body's iterator, closes the stream upstream.
    /// - Throws: `ResourceError`, which says by `transportPhase` how far the request came; or `CancellationError`.
    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse

    /// Sends a request as `send(_:body:)` does, and tells how its body gets on.
    /// - Parameters:
    ///   - request: a request with an absolute `http` or `https` URL.
    ///   - body: the body of the request.
    ///   - progress: called in order, from any isolation, each time that bytes were sent; not after the answer's body
    ///     has ended.
    func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse
}

/// What a transport does beyond the mandatory. What is absent here is absent: a test holds each transport to it.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Content codings are removed from bodies always, and the head says so. Without it bytes come as they were sent,
    /// with their `Content-Encoding`.
    public static let decodes = TransportCapabilities(rawValue: 1 << 0)
    /// A reader that stops reading stops the sender.
    public static let backPressure = TransportCapabilities(rawValue: 1 << 1)
    /// All requests can be sent through one proxy.
    public static let proxy = TransportCapabilities(rawValue: 1 << 2)
    /// Several `Set-Cookie` fields come as several.
    public static let separateCookies = TransportCapabilities(rawValue: 1 << 3)
    /// HTTP/2 over TLS, where the host offers it.
    public static let http2 = TransportCapabilities(rawValue: 1 << 4)
    /// A refused connection is an error at once.
    public static let refusesAtOnce = TransportCapabilities(rawValue: 1 << 5)
    /// The host app may say at which addresses a name is found.
    public static let ownAddresses = TransportCapabilities(rawValue: 1 << 6)
    /// Bytes of an upload leave while later ones are still being made. Without it a stream is written to a file first.
    public static let streamingUploads = TransportCapabilities(rawValue: 1 << 7)
    /// The host app may name certificate authorities of its own.
    public static let ownAuthorities = TransportCapabilities(rawValue: 1 << 8)
    /// The wait for a connection has a limit of its own. Without it that wait and the one for the head have one limit
    /// together, the sum of both.
    public static let connectTimeout = TransportCapabilities(rawValue: 1 << 9)
    /// A request that the host has surely not processed is sent again, with its body: it never left, or the host refused
    /// its HTTP/2 stream. One that may have been processed is not, unless its method is idempotent.
    public static let repeatsUnprocessed = TransportCapabilities(rawValue: 1 << 10)
    /// Connections have TCP keep-alive, so that a request without a limit does not wait for a peer that is gone.
    public static let keepAlive = TransportCapabilities(rawValue: 1 << 11)
}

/// The answer to one hop.
public struct TransportResponse: Sendable {
    /// Agrees with the bytes of the body, whether the transport decodes them or not.
    public var head: HTTPResponse
    /// May be read once; dropping it closes the stream upstream.
    public var body: ResourceBody

    public init(head: HTTPResponse, body: ResourceBody) {
        self.head = head
        self.body = body
    }
}
