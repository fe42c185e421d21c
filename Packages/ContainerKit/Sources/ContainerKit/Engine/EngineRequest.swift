// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A request as the engine hands it over.
public struct EngineRequest: Sendable {
    /// Method, header fields, and the URL under the custom scheme.
    public var head: HTTPRequest
    /// The view that asks, where the engine says so.
    public var view: ViewID?
    /// Whether this is the document that the view is navigating to.
    public var isMainDocument: Bool

    /// Makes a request, as an adapter does for each that its engine hands over.
    public init(head: HTTPRequest, view: ViewID?, isMainDocument: Bool) {
        self.head = head
        self.view = view
        self.isMainDocument = isMainDocument
    }
}
