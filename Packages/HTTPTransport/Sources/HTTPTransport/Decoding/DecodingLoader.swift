// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// Removes gzip and deflate from what another loader answers, as ``DecodingTransport`` does: above a cache, which holds
/// bytes as they came.
///
/// Isolation: as the loader beneath.
public struct DecodingLoader: ResourceLoader {
    private let base: any ResourceLoader
    private let decoding: BodyDecoding

    public init(_ base: any ResourceLoader, limits: DecodingLimits = DecodingLimits()) {
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
