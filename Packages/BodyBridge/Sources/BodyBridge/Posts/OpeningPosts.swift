// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import AsyncSupport
public import Foundation
internal import HTTPTypes
public import ResourceLoading
internal import SystemSupport
internal import WebSyntax

/// The POST requests that open pages, for engines that cannot send them. `Place` identifies the view of a page.
///
/// With a custom scheme, the engine loads the URL by GET, and the container replaces the first GET of the view for the
/// document by the POST. Over the proxy, the engine sends a form that contains only a mark. Each request with the mark
/// gets the header fields and the body of the app, also after a reload and after going back, until the page ends.
///
/// Isolation: any.
@_spi(Facade) public final class OpeningPosts<Place: Hashable & Sendable>: Sendable {
    private struct State {
        /// The posts that replace a GET, with the URLs of their documents as the engine spells them.
        var replacing: [Place: (url: String, post: PostNavigation)] = [:]
        /// The posts by the text of their form.
        var marked: [Data: (place: Place, post: PostNavigation)] = [:]
    }

    private let state = Mutex(State())

    /// Creates a store without posts.
    public init() {}

    // MARK: Pages

    /// Stores a post that replaces the GET for the document of a view.
    /// - Parameter url: the URL of the document in the engine, without a fragment.
    public func hold(_ post: PostNavigation, at url: String, for place: Place) {
        let url = Self.spelled(url)
        state.withLock { $0.replacing[place] = (url, post) }
    }

    /// Removes and returns the post that replaces a GET for a document, or returns `nil` if there is none.
    public func removePost(at url: String, for place: Place) -> PostNavigation? {
        state.withLock { state in
            guard let held = state.replacing[place], held.url == Self.spelled(url) else { return nil }
            state.replacing[place] = nil
            return held.post
        }
    }

    /// Returns a URL as the URL parser of an engine spells it, with its own scheme.
    private static func spelled(_ url: String) -> String {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return url }
        let real = "https" + url[colon...]
        guard let resolved = URLSpelling.resolve(real, against: real) else { return url }
        return url[..<colon].asciiLowercased + resolved.dropFirst("https".count)
    }

    /// Stores a post until its page ends.
    /// - Returns: the body of the form that the engine sends in its place: `containerkit=` and 32 hexadecimal digits.
    public func mark(_ post: PostNavigation, for place: Place) -> Data {
        let form = Data((PostMark.prefix + RandomToken.hex(byteCount: 16)).utf8)
        state.withLock { $0.marked[form] = (place, post) }
        return form
    }

    /// Removes the post that replaces a GET of a view, because the view shows a document.
    public func documentChanged(at place: Place) {
        state.withLock { $0.replacing[place] = nil }
    }

    /// Removes the posts of the views for which the predicate returns `true`.
    public func removeAll(where isIncluded: (Place) -> Bool) {
        state.withLock { state in
            state.replacing = state.replacing.filter { !isIncluded($0.key) }
            state.marked = state.marked.filter { !isIncluded($0.value.place) }
        }
    }

    // MARK: Requests over the proxy

    /// Returns a Boolean value that indicates whether a request may carry a mark: it is a form for a document, and as
    /// long as a mark.
    public func isCarried(by request: ResourceRequest) -> Bool {
        request.head.method == .post && request.destination == .document
            && request.body.length == Int64(PostMark.length)
            && request.head.headerFields[.contentType] == PostMark.contentType
    }

    /// Replaces the form of a marked request by the header fields and the body of the app. A form of the page itself is
    /// not changed.
    ///
    /// `Origin` and `Referer` of the form are removed, and `Sec-Fetch-Site`, if it is present, is `none` as for a
    /// document that the app opens (Fetch Metadata, section 2.4). `Cookie`, `Host` and fields of the connection are
    /// those of the engine; `Content-Length` of the form is removed. After a redirect to another origin,
    /// `Authorization` is not sent (Fetch, HTTP-redirect fetch, step 13).
    /// - Returns: `true` if the request carried a mark, which the engine repeats after a redirect with status 307 or
    ///   308.
    /// - Throws: `ResourceError` with code `invalidRequest` if the page of the mark has ended; the errors of the body.
    @MainActor
    public func complete(_ request: inout ResourceRequest) async throws -> Bool {
        let form = try await request.body.collect(upTo: PostMark.length)
        request.body = .bytes(form)
        guard PostMark.isMark(form) else { return false }
        guard let post = state.withLock({ $0.marked[form]?.post }) else {
            throw ResourceError(.invalidRequest, "the page of this POST has ended", at: request.head.urlText)
        }
        let isOwnOrigin = request.head.webOrigin == post.request.webOrigin
        var fields = request.head.headerFields
        for name in [HTTPField.Name.contentType, .contentLength, .origin, .referer] { fields[name] = nil }
        if let site = PostMark.fetchSite, fields.contains(site) { fields[site] = "none" }
        let own = post.request.headerFields.filter {
            !PostMark.isOfEngine($0.name) && (isOwnOrigin || $0.name != .authorization)
        }
        for field in own { fields[field.name] = nil }
        for field in own { fields.append(field) }
        request.head.headerFields = fields
        request.body = post.body.isEmpty ? .empty : .bytes(post.body)
        return true
    }
}

/// The form that carries a mark.
private enum PostMark {
    static let prefix = "containerkit="
    /// The number of bytes: of the prefix, and of 32 hexadecimal digits.
    static let length = prefix.utf8.count + 32
    static let contentType = "application/x-www-form-urlencoded"
    static let fetchSite = HTTPField.Name("Sec-Fetch-Site")

    static func isMark(_ form: Data) -> Bool {
        form.count == length && form.starts(with: prefix.utf8)
            && form.dropFirst(prefix.utf8.count).allSatisfy(\.isLowercaseHexDigit)
    }

    /// Returns a Boolean value that indicates whether the engine or the transport determines a field.
    static func isOfEngine(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return ["cookie", "content-length", "host"].contains(name) || ConnectionFields.names.contains(name)
    }
}
