// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The ContainerKit authors

internal import HTTPTypes
internal import Prefetch
internal import ResourceLoading

/// An observed data request in a form that can be compared between runs.
struct ObservedCall {
    let observed: ObservedRequest
    let url: PrefetchURL?
    /// The body as JSON, or `nil` if there is no body or it is not JSON.
    let body: JSONValue?
    let hasBody: Bool

    init(_ observed: ObservedRequest) {
        self.observed = observed
        url = PrefetchURL(observed.request)
        hasBody = observed.body?.isEmpty != true
        body = observed.body.flatMap { $0.isEmpty ? nil : try? JSONValue(json: $0, maxDepth: Self.maxDepth) }
    }

    /// The maximum depth of a comparable body; see ``RequestIdentity``.
    private static let maxDepth = 64

    var method: HTTPRequest.Method { observed.request.method }

    var origin: WebOrigin { observed.request.webOrigin ?? .opaque }
    /// The path without the query.
    var path: String { String((observed.request.path ?? "").prefix { $0 != "?" }) }

    /// Returns a Boolean value that indicates whether both requests use the same API, with any parameters.
    func isLike(_ other: ObservedCall) -> Bool {
        method == other.method && origin == other.origin && path == other.path
    }

    func isSame(as other: ObservedCall) -> Bool {
        isLike(other) && url?.query == other.url?.query && hasBody == other.hasBody
            && body?.canonical == other.body?.canonical
    }

    var part: FixedPart { FixedPart(query: url?.query, body: body) }
}
