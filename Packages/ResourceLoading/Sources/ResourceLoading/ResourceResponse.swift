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
    /// A Boolean value that indicates whether the response is a document that only navigates its page or frame to
    /// another document. The load then continues with the other document. False by default.
    public var isInterim: Bool
    /// The real URL after the redirects that loaders followed; `nil` if there were none.
    public var movedTo: String?
    /// The real URL of the last request, if an inner loader followed redirects; otherwise `nil`. It is for outer
    /// loaders and is not passed to the page.
    public var finalURL: String?

    /// Creates a response.
    public init(head: HTTPResponse, body: ResourceBody, provenance: Provenance, isInterim: Bool = false) {
        self.head = head
        self.body = body
        self.provenance = provenance
        self.isInterim = isInterim
    }
}
