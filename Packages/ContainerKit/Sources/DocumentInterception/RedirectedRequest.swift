// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import ResourceLoading

/// A request whose redirects the container follows.
struct RedirectedRequest: Sendable {
    /// The request of the last hop.
    private(set) var request: ResourceRequest
    /// The fragment of the last target that has one, with its `#`; `nil` if none has.
    private(set) var fragment: String?

    /// The absolute URL of the target that was not followed; `nil` if all were.
    private(set) var refusedTarget: String?

    init(_ request: ResourceRequest) {
        self.request = request
    }

    /// Loads the request and follows its redirects.
    /// - Parameters:
    ///   - mayFollow: a closure that receives each target and decides whether it is followed.
    ///   - load: a closure that loads one hop.
    /// - Returns: the response to the last hop; `nil` if no loader has a response, or if a redirect is not followed.
    /// - Throws: `ResourceError` with code `tooManyRedirects`; the errors of `load`.
    nonisolated(nonsending) mutating func response(
        mayFollow: (_ target: String) -> Bool,
        load: nonisolated(nonsending) (ResourceRequest) async throws -> ResourceResponse?
    ) async throws -> ResourceResponse? {
        for _ in 0...Redirect.limit {
            guard let response = try await load(request) else { return nil }
            guard let redirect = try Redirect(of: response.head, to: request.head) else { return response }
            guard mayFollow(redirect.target) else {
                refusedTarget = redirect.target
                return nil
            }
            request = try redirect.following(request)
            fragment = redirect.target.fragment ?? fragment
        }
        throw ResourceError(.tooManyRedirects, "more than \(Redirect.limit) redirects", at: request.head.urlText)
    }
}

extension String {
    /// The fragment of a URL with its `#`; `nil` if there is none.
    var fragment: String? { fragmentStart.map { String(self[$0...]) } }

    /// The URL without its fragment.
    var withoutFragment: String { fragmentStart.map { String(self[..<$0]) } ?? self }

    private var fragmentStart: String.Index? { utf8.firstIndex(of: UInt8(ascii: "#")) }
}
