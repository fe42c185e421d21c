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
