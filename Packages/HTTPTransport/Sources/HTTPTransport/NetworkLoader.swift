// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading

/// The last loader of a chain: it asks the network and is never "not mine".
public struct NetworkLoader: ResourceLoader {
    private let transport: any HTTPTransporting

    /// A loader that has an answer, or an error, to every request.
    public init(_ transport: any HTTPTransporting) {
        self.transport = transport
    }

    public func load(_ request: ResourceRequest) async throws -> ResourceResponse? {
        let response = try await transport.send(request.head, body: request.body)
        return ResourceResponse(
            head: response.head, body: response.body,
            provenance: Provenance(.network, reason: "no loader before the network had it"))
    }
}

extension ResourceLoader where Self == NetworkLoader {
    /// The network, by way of `transport`.
    public static func network(_ transport: any HTTPTransporting) -> Self {
        NetworkLoader(transport)
    }
}

/// The transport that suits the system.
public enum PlatformTransport {
    /// URLSession on Apple's systems, for their proxies and App Transport Security; AsyncHTTPClient elsewhere.
    public static func make() -> any HTTPTransporting {
        #if canImport(Darwin)
            URLSessionTransport()
        #else
            AsyncHTTPTransport()
        #endif
    }
}
