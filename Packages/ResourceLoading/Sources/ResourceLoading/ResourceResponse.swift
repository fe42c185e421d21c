// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// An answer: head, body, and where it came from.
public struct ResourceResponse: Sendable {
    /// Status and header fields. They agree with the bytes of ``body``.
    public var head: HTTPResponse
    /// The bytes, possibly still arriving.
    public var body: ResourceBody
    /// Who answered and why. Events, metrics and the inspector read this and nothing else.
    public var provenance: Provenance
    /// Whether this document does nothing but take its page, or its frame, to another one: a step of a load and not its
    /// end. False by default.
    public var isInterim: Bool
    /// The real URL to which redirects have led that were followed on the way; `nil` where there were none.
    public var movedTo: String?
    /// The real URL of the last request after redirects that were followed below, for loaders above; the page does not
    /// learn it. `nil` where there were none.
    public var finalURL: String?

    public init(head: HTTPResponse, body: ResourceBody, provenance: Provenance, isInterim: Bool = false) {
        self.head = head
        self.body = body
        self.provenance = provenance
        self.isInterim = isInterim
    }
}
