// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// The last loader of a chain: it sends every request to the network and never returns `nil`.
///
/// The requests of background transfers and prefetches use the transport's form for them.
public struct NetworkLoader: ResourceLoader {
    private let transport: any HTTPTransporting

    /// Creates a loader that sends requests with a transport.
    public init(_ transport: any HTTPTransporting) {
        self.transport = transport
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let transport = BackgroundTransfer.isRefusable ? transport.forBackgroundTransfers : transport
        let response = try await transport.send(request.head, body: request.body)
        return ResourceResponse(
            head: response.head, body: response.body,
            provenance: Provenance(.network, reason: "no loader before the network returned a response"))
    }
}

extension ResourceLoader where Self == NetworkLoader {
    /// Returns a loader that sends requests with `transport`.
    public static func network(_ transport: any HTTPTransporting) -> Self {
        NetworkLoader(transport)
    }
}
