// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// A request as the engine hands it over.
public struct EngineRequest: Sendable {
    /// Method, header fields, and the URL under the custom scheme.
    public var head: HTTPRequest
    /// What follows the `#` of its URL, where the engine says so.
    public var fragment: String?
    /// The view that asks, where the engine says so.
    public var view: ViewID?
    /// Whether this is the document that the view is navigating to.
    public var isMainDocument: Bool
    /// Asks the engine for the body; throws where the engine has it and cannot give it, as one that holds a Blob. To be
    /// asked while the request is handed over. `nil` where the engine has no bodies.
    public var body: (@MainActor @Sendable () throws -> ResourceBody)?

    /// Makes a request, as an adapter does for each that its engine hands over.
    public init(
        head: HTTPRequest, fragment: String? = nil, view: ViewID?, isMainDocument: Bool,
        body: (@MainActor @Sendable () throws -> ResourceBody)? = nil
    ) {
        self.head = head
        self.fragment = fragment
        self.view = view
        self.isMainDocument = isMainDocument
        self.body = body
    }
}
