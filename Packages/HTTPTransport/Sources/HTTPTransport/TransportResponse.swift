// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

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
