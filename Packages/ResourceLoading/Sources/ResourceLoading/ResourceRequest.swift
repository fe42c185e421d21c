// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A request that the loaders process.
///
/// The head carries the real URL (`http` or `https`), even if the engine uses another URL for the resource.
public struct ResourceRequest: Sendable {
    /// Method, real URL and header fields.
    public var head: HTTPRequest
    /// The request's body; ``ResourceBody/empty`` if there is none.
    public var body: ResourceBody
    /// The request destination, if the engine provides it.
    public var destination: Destination
    /// The mode of the request (Fetch, section 2.2.5), if it is known.
    public var mode: Mode
    /// The credentials mode of the request, if it is known.
    public var credentials: Credentials
    /// A Boolean value that indicates whether loaders follow redirects that the engine does not follow itself. True by
    /// default.
    public var followsRedirects = true
    /// The page of the request and the confidence of that attribution; `nil` for the app's own requests.
    public var page: PageAttribution?
    /// A Boolean value that indicates whether a frame of another site may have sent the request. This is possible if
    /// the page has a cross-site frame and the request does not identify its document. False by default.
    public var mayComeFromOtherSite = false
    /// A Boolean value that indicates whether the user saves the response as a file. False by default.
    public var isSaved = false
    /// A closure that receives the values of the response's `Set-Cookie` fields; `nil` by default.
    ///
    /// The loader that stores the cookies and removes the fields calls the closure before it stores the cookies. The
    /// closure therefore returns before another request can carry the cookies. If several requests share one response,
    /// only the closure of the request that was loaded is called. The closure may be called on any thread and must not
    /// block.
    public var onSetCookie: (@Sendable ([String]) -> Void)?

    /// Creates a request.
    public init(
        _ head: HTTPRequest, body: ResourceBody = .empty, destination: Destination = .unknown,
        mode: Mode = .unknown, credentials: Credentials = .unknown, page: PageAttribution? = nil
    ) {
        self.head = head
        self.body = body
        self.destination = destination
        self.mode = mode
        self.credentials = credentials
        self.page = page
    }
}

extension ResourceRequest {
    /// The use of a resource: a coarse form of the Fetch standard's request destination.
    public enum Destination: Sendable, Hashable {
        /// The page's main document.
        case document
        /// A document inside the page: of a frame, an `<object>` or an `<embed>`.
        case nestedDocument
        /// Any other resource of a page.
        case subresource
        /// The engine did not provide the destination.
        case unknown
    }
}

extension ResourceRequest {
    /// A request's mode (Fetch, section 2.2.5), if it is known.
    public enum Mode: Sendable, Hashable {
        /// A navigation to a document.
        case navigate
        /// A request whose server must permit the origin in `Origin` to read the response.
        case cors
        /// A request whose response from another origin cannot be read, for example of an `<img>`, or of a script that
        /// sets this mode.
        case noCORS
        /// The engine did not provide the mode.
        case unknown
    }
}

extension ResourceRequest {
    /// A request's credentials mode (Fetch, section 2.2.5), if it is known.
    public enum Credentials: Sendable, Hashable {
        /// No credentials are sent.
        case omit
        /// Credentials are sent only to the origin of the page.
        case sameOrigin
        /// Credentials are sent to all origins.
        case include
        /// The engine did not provide the credentials mode.
        case unknown
    }
}
