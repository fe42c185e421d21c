// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
public import ResourceLoading
internal import WebSyntax

extension HTTPTransporting {
    /// Returns a transport that marks each request of this transport as outgoing until its response head has arrived.
    /// Returns the transport itself if its requests bypass the sessions of the app.
    @_spi(Facade) public func marking(in outgoing: OutgoingRequests) -> any HTTPTransporting {
        capabilities.contains(.bypassesSessions) ? self : MarkingTransport(base: self, outgoing: outgoing)
    }
}

/// A transport that marks the requests of another transport, which may be code of the app, as outgoing.
///
/// Isolation: that of the base transport.
private struct MarkingTransport: HTTPTransporting {
    let base: any HTTPTransporting
    let outgoing: OutgoingRequests

    var capabilities: TransportCapabilities { base.capabilities }

    var authorities: [CertificateAuthority] { base.authorities }

    var forBackgroundTransfers: any HTTPTransporting { base.forBackgroundTransfers.marking(in: outgoing) }

    func useSystemProxies(_ proxies: SystemProxies) { base.useSystemProxies(proxies) }

    func useAddresses(_ addresses: any AddressResolving) { base.useAddresses(addresses) }

    func send(_ request: HTTPRequest, body: ResourceBody) async throws -> TransportResponse {
        try await outgoing.marking(request) { [base] in try await base.send(request, body: body) }
    }

    func send(
        _ request: HTTPRequest, body: ResourceBody, progress: @escaping @Sendable (UploadProgress) -> Void
    ) async throws -> TransportResponse {
        try await outgoing.marking(request) { [base] in
            try await base.send(request, body: body, progress: progress)
        }
    }
}
