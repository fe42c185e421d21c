// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
@_spi(Facade) public import ResourceLoading
internal import WebSyntax

/// The last loader of a chain: it sends every request to the network and never returns `nil`.
///
/// A request to a listener of a container of this process would come back, and fails with code `blocked`.
///
/// The requests of background transfers and prefetches use the transport's form for them.
public struct NetworkLoader: ResourceLoader {
    private let transport: any HTTPTransporting

    /// Creates a loader that sends requests with a transport.
    public init(_ transport: any HTTPTransporting) {
        self.transport = transport
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let defaultPort = request.head.scheme == "https" ? 443 : 80
        if let host = request.head.authority.flatMap({ HostPort($0, defaultPort: defaultPort) }),
            OwnListeners.contains(host)
        {
            throw ResourceError(
                .blocked, "the request would come back to the app's own listener", at: request.head.urlText)
        }
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
