// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes
public import ResourceLoading

/// A request that an engine passes to its scheme handler.
public struct EngineRequest: Sendable {
    /// The method, the header fields and the URL with the custom scheme.
    public var head: HTTPRequest
    /// The fragment of the URL, without its `#`; `nil` if there is none or the engine does not report it.
    public var fragment: String?
    /// The view that sent the request; `nil` if the engine does not report it.
    public var view: ViewID?
    /// A Boolean value that indicates whether the request is for the document of a navigation of the view.
    public var isMainDocument: Bool
    /// A closure that returns the request body; `nil` if the engine provides no bodies.
    ///
    /// Call it synchronously in the scheme handler. It throws if the engine has a body that it cannot provide, for
    /// example one that contains a Blob.
    public var body: (@MainActor @Sendable () throws -> ResourceBody)?

    /// Creates a request. Adapters call this for each intercepted request.
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
