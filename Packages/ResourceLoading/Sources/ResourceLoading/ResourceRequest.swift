// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

public import HTTPTypes

/// A request on its way through the loaders.
///
/// The head carries the real URL (`http` or `https`), whatever name the engine knows the resource by.
public struct ResourceRequest: Sendable {
    /// Method, real URL and header fields.
    public var head: HTTPRequest
    /// The request's body; ``ResourceBody/empty`` where there is none.
    public var body: ResourceBody
    /// What the resource is for, when the engine says so.
    public var destination: Destination
    /// By which of the web's rules the answer is judged, as far as the engine lets one know.
    public var mode: Mode
    /// Whether cookies go along, as far as the engine lets one know.
    public var credentials: Credentials
    /// Whether an answer that leads elsewhere is followed there, where the engine does not do so itself. True by default.
    public var followsRedirects = true
    /// The page that asked, and how sure that is; `nil` for the app's own requests.
    public var page: PageAttribution?
    /// A Boolean value that indicates whether a frame of another site than the page's may have asked: the page has such a
    /// frame, and the request does not show which document asks. False by default.
    public var mayComeFromOtherSite = false
    /// A Boolean value that indicates whether the user saves the response as a file. False by default.
    public var isSaved = false
    /// A closure that receives the values of the response's `Set-Cookie` fields from a loader that stores the cookies and
    /// removes the fields; `nil` by default.
    ///
    /// The loader calls it before it stores the cookies, so that it returns before another request can carry them. A loader
    /// that answers several requests with one response loads it with one of them, whose closure alone is called. It may be
    /// called on any thread and must not block.
    public var onSetCookie: (@Sendable ([String]) -> Void)?

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
    /// What a resource is for. A coarse form of the Fetch standard's request destination.
    public enum Destination: Sendable, Hashable {
        /// The page's main document.
        case document
        /// A document inside of the page: of a frame, an `<object>` or an `<embed>`.
        case nestedDocument
        /// Anything else that a page loads for itself.
        case subresource
        /// The engine did not say.
        case unknown
    }
}

extension ResourceRequest {
    /// A request's mode (Fetch, section 2.2.5), as far as it is known.
    public enum Mode: Sendable, Hashable {
        /// A document is asked for.
        case navigate
        /// The answer's server must permit that the origin of the page, which is in `Origin`, reads it.
        case cors
        /// Nobody reads another origin's answer: an element shows it, or a script asks so.
        case noCORS
        /// The engine did not say.
        case unknown
    }
}

extension ResourceRequest {
    /// A request's credentials mode (Fetch, section 2.2.5), as far as it is known.
    public enum Credentials: Sendable, Hashable {
        /// To nobody.
        case omit
        /// To the origin of the page alone.
        case sameOrigin
        /// To all.
        case include
        /// The engine did not say.
        case unknown
    }
}
