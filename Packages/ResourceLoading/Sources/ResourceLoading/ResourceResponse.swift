// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A response: head, body and provenance.
public struct ResourceResponse: Sendable {
    /// The status and the header fields. They match the bytes of ``body``.
    public var head: HTTPResponse
    /// The body, which may still be arriving.
    public var body: ResourceBody
    /// The source of the response and the reason for it. Events, metrics and the inspector read only this value.
    public var provenance: Provenance
    /// A Boolean value that indicates whether this document only navigates its page or frame to another one. It is
    /// then a step of a load and not its end. False by default.
    public var isInterim: Bool
    /// The real URL after the redirects that were followed; `nil` if there were none.
    public var movedTo: String?
    /// The real URL of the last request after redirects that an inner loader followed, for outer loaders only; the
    /// page does not receive it. `nil` if there were none.
    public var finalURL: String?

    public init(head: HTTPResponse, body: ResourceBody, provenance: Provenance, isInterim: Bool = false) {
        self.head = head
        self.body = body
        self.provenance = provenance
        self.isInterim = isInterim
    }
}
