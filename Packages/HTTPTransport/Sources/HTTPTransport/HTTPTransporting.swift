// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// Sends one request over the network and returns what came back, one hop, unchanged.
///
/// A transport does not follow redirects, keep cookies or cache: loaders above it do. Every wait inside has a limit.
/// Isolation: may be called from any isolation and concurrently.
public protocol HTTPTransporting: Sendable {
    /// What this transport does beyond the mandatory.
    var capabilities: TransportCapabilities { get }

    /// Sends a request with an absolute `http` or `https` URL.
    ///
    /// Cancelling the calling task, or dropping the body's iterator, closes the stream upstream.
    /// - Throws: `ResourceError` or `CancellationError`.
    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse
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

/// What a transport does beyond the mandatory.
public struct TransportCapabilities: OptionSet, Sendable {
    public let rawValue: Int

    public init(rawValue: Int) {
        self.rawValue = rawValue
    }

    /// Content codings are removed from bodies, and the head says so.
    public static let decodes = TransportCapabilities(rawValue: 1 << 0)
    /// A reader that stops reading stops the sender.
    public static let backPressure = TransportCapabilities(rawValue: 1 << 1)
    /// All requests can be sent through one proxy.
    public static let proxy = TransportCapabilities(rawValue: 1 << 2)
}
