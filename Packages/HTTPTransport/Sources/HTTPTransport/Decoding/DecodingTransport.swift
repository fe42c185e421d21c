// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading
public import WebSyntax

/// A transport that removes gzip, deflate and Brotli from the responses of another transport, for engines that do not
/// decode.
///
/// Requests accept only codings that can be removed. A known coding is removed even if the request did not accept it.
/// An unknown coding (`zstd`) and all codings applied before it remain, and `Content-Encoding` names them. Errors have
/// code `tooLarge` beyond the limits, and `connectionLost` for a body that does not have its coding, ends early or
/// continues after its end.
///
/// Isolation: that of the base transport.
public struct DecodingTransport: HTTPTransporting {
    private let base: any HTTPTransporting
    private let decoding: BodyDecoding

    /// Creates a transport that decodes the responses of another transport.
    /// - Parameter base: The transport that sends the requests. If this transport decodes, its responses are returned
    ///   unchanged.
    public init(_ base: any HTTPTransporting) {
        self.init(base, limits: DecodingLimits())
    }

    init(_ base: any HTTPTransporting, limits: DecodingLimits) {
        self.base = base
        decoding = BodyDecoding(limits: limits)
    }

    public var capabilities: TransportCapabilities {
        base.capabilities.union(.decodes)
    }

    public var authorities: [CertificateAuthority] { base.authorities }

    public var forBackgroundTransfers: any HTTPTransporting {
        DecodingTransport(base.forBackgroundTransfers, limits: decoding.limits)
    }

    public func useSystemProxies(_ proxies: SystemProxies) { base.useSystemProxies(proxies) }

    public func useAddresses(_ addresses: any AddressResolving) { base.useAddresses(addresses) }

    public func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        if base.capabilities.contains(.decodes) { return try await base.send(request, body: body) }
        return try decoded(try await base.send(decoding.addingAcceptEncoding(request), body: body), of: request)
    }

    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        if base.capabilities.contains(.decodes) {
            return try await base.send(request, body: body, progress: progress)
        }
        return try decoded(
            try await base.send(decoding.addingAcceptEncoding(request), body: body, progress: progress), of: request)
    }

    private func decoded(_ response: TransportResponse, of request: HTTPRequest) throws -> TransportResponse {
        var response = response
        try decoding.decode(&response.head, &response.body, of: request)
        return response
    }
}

/// The limits of decoding, which protect against decompression bombs.
struct DecodingLimits: Sendable, Hashable {
    /// The limit of decoded bytes for one body; 256 MiB by default.
    var bytes: Int64 = 256 << 20
    /// The limit of the ratio of decoded to received bytes; 200 by default. Text shrinks to a tenth, logs and blank
    /// images to a hundredth. Deflate reaches a ratio of at most 1,032, and a million if applied twice; Brotli reaches
    /// a million at once.
    var ratio: Int64 = 200
    /// The number of decoded bytes up to which the ratio is not checked; 8 MiB by default.
    var ratioFloor: Int64 = 8 << 20
    /// The limit of content codings of one body; 4 by default.
    var codings = 4
}

/// A loader that removes gzip, deflate and Brotli from the responses of another loader, as ``DecodingTransport`` does.
/// It belongs above a cache, because a cache stores the received bytes.
///
/// Isolation: that of the base loader.
public struct DecodingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let decoding: BodyDecoding

    /// Creates a loader that decodes the responses of another loader.
    public init(_ base: any ResourceLoader) {
        self.init(base, limits: DecodingLimits())
    }

    init(_ base: any ResourceLoader, limits: DecodingLimits) {
        self.base = base
        decoding = BodyDecoding(limits: limits)
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var outgoing = request
        outgoing.head = decoding.addingAcceptEncoding(request.head)
        guard var response = try await base.load(outgoing) else { return nil }
        try decoding.decode(&response.head, &response.body, of: request.head)
        return response
    }
}
