// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// Removes gzip and deflate from what another transport brings, for engines that do not decode.
///
/// Requests ask for what can be removed alone. A coding that is not known (`br`, `zstd`) is passed through with its name
/// in the head, and so are all beneath it. Errors: code `tooLarge` beyond the limits; `connectionLost` for a body that is
/// not in its coding, ends early or goes on after its end.
/// Isolation: as the transport beneath.
public struct DecodingTransport: HTTPTransporting {
    private let base: any HTTPTransporting
    private let decoding: BodyDecoding

    /// Creates a transport around another one.
    /// - Parameter base: the transport that sends the requests. The responses of one that decodes by itself pass unchanged.
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

    public func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        if base.capabilities.contains(.decodes) { return try await base.send(request, body: body) }
        return try decoded(try await base.send(decoding.asking(request), body: body), of: request)
    }

    public func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        if base.capabilities.contains(.decodes) {
            return try await base.send(request, body: body, progress: progress)
        }
        return try decoded(try await base.send(decoding.asking(request), body: body, progress: progress), of: request)
    }

    private func decoded(_ response: TransportResponse, of request: HTTPRequest) throws -> TransportResponse {
        var response = response
        try decoding.decode(&response.head, &response.body, of: request)
        return response
    }
}

/// How much a body may grow when its content codings are removed. One that grows more is an attack, not a file.
struct DecodingLimits: Sendable, Hashable {
    /// The most bytes that one body may decode to; 256 MiB by default.
    var bytes: Int64 = 256 << 20
    /// How many times larger than what was sent; 200 by default. Text shrinks to a tenth, logs and empty pictures to
    /// a hundredth; deflate comes to 1,032 at most, twice applied to a million.
    var ratio: Int64 = 200
    /// Bytes up to which the ratio is not looked at; 8 MiB by default.
    var ratioFloor: Int64 = 8 << 20
    /// Codings on top of each other; 4 by default.
    var codings = 4
}

/// Removes gzip and deflate from what another loader answers, as ``DecodingTransport`` does: above a cache, which holds
/// bytes as they came.
///
/// Isolation: as the loader beneath.
public struct DecodingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let decoding: BodyDecoding

    public init(_ base: any ResourceLoader) {
        self.init(base, limits: DecodingLimits())
    }

    init(_ base: any ResourceLoader, limits: DecodingLimits) {
        self.base = base
        decoding = BodyDecoding(limits: limits)
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        var outgoing = request
        outgoing.head = decoding.asking(request.head)
        guard var response = try await base.load(outgoing) else { return nil }
        try decoding.decode(&response.head, &response.body, of: request.head)
        return response
    }
}
